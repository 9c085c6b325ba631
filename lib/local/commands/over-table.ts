import { chooseLocation, type Wishes } from '#lib/local/location.ts'
import type { Store } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table-location.ts'
import { openTable } from './aws-account.ts'
import { complaintOf } from './complaint.ts'
import { SettingsRefused } from './settings-tool.ts'

const REFUSED = 1
const FAILED = 2

/** Runs a script's work on the table that was asked for; answers the exit code. Errors become one sentence. */
export async function overTable(
  wishes: Wishes,
  work: (store: Store, location: TableLocation) => Promise<number>,
): Promise<number> {
  const location = chooseLocation(wishes)
  try {
    return await work(await openTable(location), location)
  } catch (error) {
    return complain(error, location)
  }
}

/** For what fails before the table is known. */
export function complain(error: unknown, location: TableLocation = { tableName: '' }): number {
  const complaint = complaintOf(error, location)
  process.stderr.write(`${complaint ?? (error instanceof Error ? error.stack : error)}\n`)
  return error instanceof SettingsRefused ? REFUSED : FAILED
}
