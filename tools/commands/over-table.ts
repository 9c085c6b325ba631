import { type Command, Option } from '@commander-js/extra-typings'
import type { Store } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table.ts'
import { chooseLocation, defaultNotice, type TableOptions } from '#tools/machine/location.ts'
import { printLine } from '#tools/machine/terminal.ts'
import { reportError } from './error-message.ts'
import { openTable } from './open-table.ts'

/** Declares the options that name the table of a command. */
export const withTableOptions = (command: Command) =>
  command
    .option('--endpoint <URL>', 'a DynamoDB other than that of AWS (default: DYNAMODB_ENDPOINT)')
    .option('--table <NAME>', 'the table (default: TABLE_NAME)')
    .addOption(localData())

/** Names a local installation by its dataset, as `npm start -- --data` does. */
export const localData = () =>
  new Option(
    '--data <FOLDER>',
    'the running npm start on this dataset (default: the one that was started first)',
  ).conflicts('endpoint')

/** `--as` of the commands that change accounts and tariffs. */
export const ACTOR = new Option(
  '--as <USERNAME>',
  'the account that makes the change: an admin, or one with the permission api_settings (default: the log names the user of this \
machine)',
)

/** Runs a command on the table that its options name, and sets the exit code. Prints an error as one sentence. */
export async function overTable(
  options: TableOptions,
  work: (store: Store, location: TableLocation) => Promise<number>,
): Promise<void> {
  const location = chooseLocation(options)
  const notice = defaultNotice(options)
  if (notice !== undefined) process.stderr.write(`${notice}\n`)
  try {
    process.exitCode = await work(openTable(location), location)
  } catch (error) {
    process.exitCode = reportError(error, location)
  }
}

type Lines = string | Iterable<string> | AsyncIterable<string>

/** Prints the lines that `describe` returns about the table that a command's options name. */
export const printFromTable = (
  options: TableOptions,
  describe: (store: Store) => Lines | Promise<Lines>,
): Promise<void> =>
  overTable(options, async (store) => {
    const lines = await describe(store)
    for await (const line of typeof lines === 'string' ? [lines] : lines) printLine(line)
    return 0
  })
