import '#lib/local/quiet-sdk.ts'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { complain } from './complaint.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/** What was given for the options. */
export type Values<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>['values']

/** A script of package.json. */
export interface Command<O extends Options = Options> {
  /** What `--help` prints, and what whoever calls it with too few or too many words gets to read. */
  readonly help: string
  readonly options?: O
  /** How many words may stand beside the options: at least, at most. */
  readonly words?: readonly [least: number, most: number]
  /** A number that it answers is the exit code. */
  run(values: Values<O>, words: readonly string[]): Promise<unknown>
}

const DONE = 0
const NOT_UNDERSTOOD = 2

/**
 * Runs a command on the arguments of this process, to its exit code. What the user can do something about is one
 * sentence; a bug keeps its stack. `--help` only helps.
 */
export async function runCommand<const O extends Options = Record<never, never>>(
  command: Command<O>,
): Promise<never> {
  process.stdout.on('error', endsWithItsReader)
  const code = await understood(command).catch((error: unknown) => complain(error))
  await writtenOut()
  process.exit(code)
}

/** A pipe takes 64 KB at once: without this, the rest of a longer output would be lost at the exit. */
const writtenOut = (): Promise<void> => new Promise((done) => process.stdout.write('', () => done()))

/** Whoever reads the lines, such as `head`, may have enough of them. */
function endsWithItsReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(DONE)
}

const HELP = { help: { type: 'boolean', short: 'h' } } as const

async function understood<O extends Options>({ help, options, words, run }: Command<O>): Promise<number> {
  const { values, positionals } = parseArgs({ options: { ...options, ...HELP }, allowPositionals: true })
  const [least, most] = words ?? [0, 0]
  if (values['help']) return explained(help)
  if (positionals.length < least || positionals.length > most) return misunderstood(help)
  const outcome = await run(values as Values<O>, positionals)
  return typeof outcome === 'number' ? outcome : DONE
}

function explained(help: string): number {
  process.stdout.write(help)
  return DONE
}

/** What is answered to words that a command does not know. */
export function misunderstood(help: string): number {
  process.stderr.write(help)
  return NOT_UNDERSTOOD
}
