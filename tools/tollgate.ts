import '#tools/machine/quiet-sdk.ts'
import { Command, CommanderError } from 'commander'
import { withDays } from '#tools/commands/import-options.ts'
import packageJson from '../package.json' with { type: 'json' }
import { COMMANDS, loadCommand } from './command-list.ts'

const EXIT_CODES = `
Exit code: 0 done; 1 refused, or done in part; 2 wrong usage, not possible or not reachable.`

const USAGE_ERROR = 2

async function createProgram(words: readonly string[]): Promise<Command> {
  const program = new Command('tollgate')
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .configureHelp({ showGlobalOptions: true, commandUsage, commandDescription })
    .addHelpText('afterAll', EXIT_CODES)
  const isCommand = (word = '') => Object.hasOwn(COMMANDS, word)
  const used = words.find(isCommand)
  for (const [name, summary] of Object.entries(COMMANDS)) {
    const command = program.command(name).summary(summary)
    if (name === used) (await loadCommand(name)).declare(command)
    else command.description(summary)
  }
  if (isCommand(words[0])) return program
  const { default: withCompletion } = await import('@bomb.sh/tab/commander')
  withCompletion(program.version(packageJson.version, '--version'))
  return program
}

/** The usage names the script of package.json that runs the command. */
function commandUsage(command: Command): string {
  const names: string[] = []
  for (let at = command; at.parent; at = at.parent) names.unshift(at.name())
  const [script = 'tollgate', ...verbs] = names
  return ['npm', ...(script === 'start' ? [] : ['run']), script, '--', ...verbs, command.usage()].join(' ')
}

const commandDescription = (command: Command): string =>
  [command.summary(), command.description()].filter(Boolean).join('\n\n')

/** Prints a usage error as one line and returns the exit code. The help is printed on request. */
function exitCodeOf({ code, exitCode, message }: CommanderError): number {
  if (exitCode === 0) return 0
  const error = code === 'commander.help' ? 'error: missing command' : message
  const line = error.replace(/^error: |\.$/g, '').replaceAll('\n', ' ')
  process.stderr.write(`${line.replace(/^./, (letter) => letter.toUpperCase())}: see --help\n`)
  return USAGE_ERROR
}

async function report(error: unknown): Promise<number> {
  const { reportError } = await import('#tools/commands/error-message.ts')
  return reportError(error)
}

/** The reader of a pipe, such as `head`, may stop before the end of the output. A full disk cannot take the rest either. */
async function endWithReader(error: NodeJS.ErrnoException): Promise<void> {
  process.exit(error.code === 'EPIPE' ? 0 : await report(error))
}

for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader)
process.on('uncaughtException', async (error) => process.exit(await report(error)))
const words = withDays(process.argv.slice(2))
try {
  await (await createProgram(words)).parseAsync(words, { from: 'user' })
} catch (error) {
  process.exitCode = error instanceof CommanderError ? exitCodeOf(error) : await report(error)
}
