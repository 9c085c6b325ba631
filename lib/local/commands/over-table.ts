import { type Command, Option } from '@commander-js/extra-typings'
import { chooseLocation, type TableOptions } from '#lib/local/location.ts'
import type { Store } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table.ts'
import { openTable } from './aws-account.ts'
import { complain } from './complaint.ts'

/** Declares the options that name the table of a command. */
export const withTableOptions = (command: Command) =>
  command
    .option('--endpoint <URL>', "a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)")
    .option('--table <NAME>', 'the table (or TABLE_NAME)')

export const ACTOR = new Option(
  '--as <USERNAME>',
  'who does it: an admin, or an account with the permission api_settings (default: the log names the user of this machine)',
)

/** Runs a command's work on the table that its options name, and sets the exit code. Errors become one sentence. */
export async function overTable(
  wishes: TableOptions,
  work: (store: Store, location: TableLocation) => Promise<number>,
): Promise<void> {
  const location = chooseLocation(wishes)
  try {
    process.exitCode = await work(openTable(location), location)
  } catch (error) {
    process.exitCode = complain(error, location)
  }
}

type Lines = string | Iterable<string> | AsyncIterable<string>

/** Prints a line, or several, about the table that a command's options name. */
export const printFromTable = (
  wishes: TableOptions,
  describe: (store: Store) => Lines | Promise<Lines>,
): Promise<void> =>
  overTable(wishes, async (store) => {
    const lines = await describe(store)
    for await (const line of typeof lines === 'string' ? [lines] : lines) process.stdout.write(`${line}\n`)
    return 0
  })
