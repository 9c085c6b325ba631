import { createClient, type TableLocation } from '#lib/store/client.ts'
import { createMeter } from '#lib/store/meter.ts'
import { createStore, type Store } from '#lib/store/store.ts'
import { complaintOf } from './complaint.ts'
import { chooseLocation, type Wishes } from './location.ts'
import { SettingsRefused } from './settings-tool.ts'

const REFUSED = 1
const FAILED = 2

/** Runs a script's work on the table that was asked for; answers the exit code. Errors become one sentence. */
export async function overTable(
  wishes: Wishes,
  work: (store: Store, location: TableLocation) => Promise<number>,
): Promise<number> {
  const location = chooseLocation(wishes)
  const { tableName } = location
  const store = createStore({ client: createClient(location), tableName, meter: createMeter() })
  return work(store, location).catch((error: unknown) => complain(error, location))
}

/** For what fails before the table is known. */
export function complain(error: unknown, location: TableLocation = { tableName: '' }): number {
  const complaint = complaintOf(error, location)
  process.stderr.write(`${complaint ?? (error instanceof Error ? error.stack : error)}\n`)
  return error instanceof SettingsRefused ? REFUSED : FAILED
}
