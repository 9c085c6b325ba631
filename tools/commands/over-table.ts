import { type Command, Option } from '@commander-js/extra-typings'
import type { Store } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table.ts'
import {
  chooseLocation,
  defaultNotice,
  installationAt,
  refuseAnyOfSeveral,
  root,
  type TableOptions,
} from '#tools/machine/location.ts'
import { printLine, printNote } from '#tools/machine/terminal.ts'
import { reportError } from './error-message.ts'
import { openTable, regionOf } from './open-table.ts'
import { requireReadable, stampIfEmpty } from './table-stamp.ts'

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

/** What a command does with a table. Returns the exit code. */
type TableWork = (store: Store, location: TableLocation) => Promise<number>

/** Runs a command that reads the table that its options name, and sets the exit code. Prints an error as one sentence. */
export async function overTable(options: TableOptions, work: TableWork): Promise<void> {
  const location = chooseLocation(options)
  const notice = defaultNotice(options)
  if (notice !== undefined) printNote(notice)
  await workOn(location, requireReadable, work)
}

/** The same for a command that changes the table: the installation is named first, and never one of several by default. */
export async function changeTable(options: TableOptions, work: TableWork): Promise<void> {
  refuseAnyOfSeveral(root, process.env, options)
  const location = chooseLocation(options)
  await nameInstallation(location)
  await workOn(location, stampIfEmpty, work)
}

/** Prints which installation a command changes. */
export const nameInstallation = async (location: TableLocation): Promise<void> =>
  printNote(`Installation: ${installationAt(root, location, await regionOf(location))}`)

async function workOn(
  location: TableLocation,
  checkStamp: (location: TableLocation) => Promise<void>,
  work: TableWork,
): Promise<void> {
  try {
    await checkStamp(location)
    process.exitCode = await work(openTable(location), location)
  } catch (error) {
    process.exitCode = reportError(error, location)
  }
}

type Lines = string | Iterable<string> | AsyncIterable<string>

/** Returns lines to print. */
type Describe = (store: Store) => Lines | Promise<Lines>

/** Prints the lines that `describe` returns about the table that a command's options name. */
export const printFromTable = (options: TableOptions, describe: Describe): Promise<void> =>
  overTable(options, printing(describe))

/** Prints the lines that `change` returns about its changes of the table that a command's options name. */
export const printChange = (options: TableOptions, change: Describe): Promise<void> =>
  changeTable(options, printing(change))

const printing =
  (describe: Describe): TableWork =>
  async (store) => {
    const lines = await describe(store)
    for await (const line of typeof lines === 'string' ? [lines] : lines) printLine(line)
    return 0
  }
