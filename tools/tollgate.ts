import { basename } from 'node:path'
import { Command, CommanderError } from 'commander'
import { nearestNames } from '#lib/base/nearest.ts'
import { isRelease } from '#tools/machine/program.ts'
import packageJson from '../package.json' with { type: 'json' }
import { COMMAND_GROUPS, COMMANDS, isOfACheckout, loadCommand } from './command-list.ts'
import { withDays } from './commands/import/import-options.ts'

const EXIT_CODES = `
Exit code: 0 done; 1 refused or failed, also in part; 2 wrong usage.`

const USAGE_ERROR = 2

const isCommand = (word = ''): boolean => Object.hasOwn(COMMANDS, word)

async function createProgram(words: readonly string[]): Promise<Command> {
  const program = new Command('tollgate')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({ showGlobalOptions: true, commandUsage, commandDescription })
    .addHelpText('afterAll', EXIT_CODES)
  const used = words.find(isCommand)
  const grouped = Object.entries(COMMAND_GROUPS).flatMap(([group, commands]) =>
    Object.entries(commands).map(([name, summary]) => ({ group, name, summary })),
  )
  for (const { group, name, summary } of grouped) {
    if (isRelease && isOfACheckout(name) && name !== used) continue
    const command = program.command(name).summary(summary).helpGroup(`${group}:`)
    if (name === used) (await loadCommand(name)).declare(command)
    else command.description(summary)
  }
  if (isCommand(words[0])) return program
  const { default: withCompletion } = await import('@bomb.sh/tab/commander')
  withCompletion(program.version(packageJson.version, '--version'))
  return program
}

/** The usage names the script of package.json that runs the command, or npx. */
function commandUsage(command: Command): string {
  const names: string[] = []
  for (let one = command; one.parent; one = one.parent) names.unshift(one.name())
  const [name, ...verbs] = names
  return [...startOf(name), ...verbs, command.usage()].join(' ')
}

function startOf(name: string | undefined): string[] {
  if (name === undefined) return ['npx', 'tollgate']
  if (!Object.hasOwn(packageJson.scripts, name)) return ['npx', 'tollgate', name]
  return name === 'start' ? ['npm', 'start', '--'] : ['npm', 'run', name, '--']
}

const commandDescription = (command: Command): string =>
  [command.summary(), command.description()].filter(Boolean).join('\n\n')

/** Prints a usage error as one line and returns the exit code. The help is printed on request. */
function exitCodeOf({ code, exitCode, message }: CommanderError): number {
  if (exitCode === 0) return 0
  if (code === 'commander.help') return USAGE_ERROR
  const line = message.replace(/^error: |\.$/g, '').replaceAll('\n', ' ')
  process.stderr.write(`${line.replace(/^./, (letter) => letter.toUpperCase())}: see --help\n`)
  return USAGE_ERROR
}

/** Throws a usage error with the nearest commands, or the call of a method named as a command. */
async function refuseUnknown(word: string): Promise<void> {
  if (isCommand(word) || word === 'complete' || !/^\w/.test(word)) return
  const { functionPaths } = await import('#tools/contracts/function-files.ts')
  const calls = (await functionPaths()).map((path) => ({
    name: basename(path),
    run: `call ${basename(path)}`,
  }))
  const names = [...Object.keys(COMMANDS), 'complete', 'help'].map((name) => ({ name, run: name }))
  const runByName = new Map([...calls, ...names].map(({ name, run }) => [name, run]))
  const nearest = runByName.has(word) ? [word] : nearestNames(word, runByName.keys())
  const suggestion =
    nearest.length > 0 ? ` (Did you mean ${nearest.map((name) => runByName.get(name)).join(' or ')}?)` : ''
  throw new CommanderError(USAGE_ERROR, 'commander.unknownCommand', `unknown command '${word}'${suggestion}`)
}

async function report(error: unknown): Promise<number> {
  const { reportError } = await import('./command-line/error-message.ts')
  return reportError(error)
}

/** A pipe's reader, such as `head`, may stop early. A full disk cannot take the rest either. */
async function endWithReader(error: NodeJS.ErrnoException): Promise<void> {
  process.exit(error.code === 'EPIPE' ? 0 : await report(error))
}

/** The options after `explain-hash curl` are those of curl. */
function withCurlLine(words: readonly string[]): string[] {
  const index = words[0] === 'explain-hash' ? words.indexOf('curl') : -1
  return index < 0 ? [...words] : [...words.slice(0, index), '--', ...words.slice(index)]
}

/** `help report calls` is `report calls --help`. */
const withHelp = (words: readonly string[]): readonly string[] =>
  words[0] === 'help' ? [...words.filter((word) => word !== 'help'), '--help'] : words

/** A noun may be in the other number: `invoice show` is `invoices show`. */
function withKnownNoun(words: readonly string[]): readonly string[] {
  const [word = '', ...others] = words
  const noun = word.endsWith('s') ? word.slice(0, -1) : `${word}s`
  return !isCommand(word) && isCommand(noun) ? [noun, ...others] : words
}

/** npm starts scripts in the repository's root. Paths are meant from where npm was called. */
function standWhereCalled([command]: readonly string[]): void {
  const { INIT_CWD, npm_lifecycle_event } = process.env
  if (INIT_CWD && npm_lifecycle_event === command) process.chdir(INIT_CWD)
}

for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader)
process.on('uncaughtException', async (error) => process.exit(await report(error)))
const words = withCurlLine(withDays(withKnownNoun(withHelp(process.argv.slice(2)))))
try {
  standWhereCalled(words)
  await refuseUnknown(words[0] ?? '')
  await (await createProgram(words)).parseAsync(words, { from: 'user' })
} catch (error) {
  process.exitCode = error instanceof CommanderError ? exitCodeOf(error) : await report(error)
}
