import '#lib/local/quiet-sdk.ts'
import { Command, CommanderError } from 'commander'
import { withDays } from '#lib/local/commands/import-options.ts'
import packageJson from '../package.json' with { type: 'json' }

/** The commands in the order of `--help`. The file of a command has its name, with a hyphen for a colon, and is loaded when the command is used. */
const COMMANDS: Readonly<Record<string, string>> = {
  start: 'Runs Tollgate on this machine.',
  console: 'Serves the console for an API that runs elsewhere.',
  init: 'Writes a small dataset of your own.',
  import: 'Imports a dataset into the table.',
  export: 'Exports a table into a dataset.',
  'moving-in': 'Writes the queries that export the original database.',
  'check-data': 'Checks the whole table for damage.',
  settings: 'Shows and changes settings.',
  account: 'Lists, shows and blocks accounts, replaces passwords.',
  tariff: 'Shows tariffs and their changes, rolls them back.',
  rates: "Imports a carrier's rate sheet into a tariff.",
  explain: 'Rates a call, step by step, without storing it.',
  ingest: 'Mediates CDR documents of switches.',
  intake: 'Adds and revokes switches that send CDRs by HTTP.',
  suspense: 'Shows, retries and drops suspended CDRs.',
  rerate: 'Re-rates stored calls.',
  report: 'Sums up calls, balances, DIDs and everything that moved in.',
  call: 'Signs a call of a method and prints the answer.',
  'explain-hash': 'Explains what a refused hash was made of.',
  invoke: 'Runs the handler of a method on an event.',
  fuzz: 'Compares the system with plain models on random input.',
  soak: 'Looks for lost writes after traffic and kills.',
  mutate: 'Looks for code that no test holds.',
  'test:live': 'Runs the tests of the methods over HTTP.',
  'test:older-engine': "Runs the tests on AWS's DynamoDB Local of 2020.",
  smoke: 'Calls every method of a stage without changing data.',
  package: 'Builds the packages of a deployment.',
  deploy: 'Deploys Tollgate to AWS, or updates it.',
  remove: 'Removes a stage from AWS.',
  new: 'Creates a new method.',
  generate: 'Generates docs and configuration from the contracts.',
  'release-fixture': 'Writes the table of a release, for later versions to read.',
  screenshots: 'Takes the screenshots of the README.',
  bench: 'Runs the benchmarks.',
}

const fileOf = (name: string): string => name.replace(':', '-')

const EXIT_CODES = `
Exit code: 0 done; 1 refused, or done in part; 2 wrong usage, not possible or not reachable.`

const USAGE_ERROR = 2

/** The exports of a command's file: `declare` adds arguments, options, examples and the action. */
interface CommandFile {
  declare(command: Command): unknown
}

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
    if (name === used) ((await import(`./${fileOf(name)}.ts`)) as CommandFile).declare(command)
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
  const { reportError } = await import('#lib/local/commands/error-message.ts')
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
