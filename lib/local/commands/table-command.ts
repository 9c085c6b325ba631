import { parseArgs } from 'node:util'
import type { Store } from '#lib/store/store.ts'
import { complain, overTable } from './over-table.ts'

type Lines = AsyncIterable<string> | Iterable<string>

/** What a script can do with the table. */
export interface TableCommand {
  /** How many words it consists of, its own name included. */
  readonly words: number
  /** Answers the lines to print. */
  readonly run: (store: Store, words: readonly string[], as?: string) => Lines | Promise<Lines>
}

export interface TableCommands {
  readonly help: string
  readonly commands: Readonly<Record<string, TableCommand>>
  /** Whether `--as USERNAME` says who does it. */
  readonly asSomebody?: true
}

const DONE = 0
const NOT_UNDERSTOOD = 2

/** Runs the command in the arguments of this process, on the table they name; answers the exit code. */
export function runTableCommand(script: TableCommands): Promise<number> {
  process.stdout.on('error', endsWithItsReader)
  return run(script).catch((error: unknown) => complain(error))
}

/** Whoever reads the lines, such as `head`, may have enough of them. */
function endsWithItsReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
  process.exit(DONE)
}

async function run({ help, commands, asSomebody }: TableCommands): Promise<number> {
  const { values, positionals: words } = parseArgs({
    allowPositionals: true,
    options: optionsFor(asSomebody),
  })
  if (values.help) return explain(help, 'stdout')
  const command = commands[words[0] ?? '']
  if (command?.words !== words.length) return explain(help, 'stderr')
  return overTable(values, async (store) => {
    for await (const line of await command.run(store, words, values.as)) process.stdout.write(`${line}\n`)
    return DONE
  })
}

const optionsFor = (asSomebody: true | undefined) =>
  ({
    endpoint: { type: 'string' },
    table: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
    ...((asSomebody && { as: { type: 'string' } }) as { as: { type: 'string' } }),
  }) as const

function explain(help: string, output: 'stdout' | 'stderr'): number {
  process[output].write(help)
  return output === 'stdout' ? DONE : NOT_UNDERSTOOD
}
