import { readSettings } from '#lib/domain/settings.ts'
import { sumUpDays } from '#lib/report/day-groups.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { TableLocation } from '#lib/store/table.ts'
import { openTable } from '#tools/commands/open-table.ts'

const HOUR_MS = 3_600_000

/** Sums up changed days at once and then every hour, as the hourly function does in AWS. Returns what ends it. */
export function startHourlySums(location: TableLocation): () => Promise<void> {
  let isStopped = false
  const run = async () => {
    const store = openTable(location)
    const settings = readSettings(await findSettings(store))
    await sumUpDays({ store, settings, now: new Date(), hasTime: () => !isStopped })
  }
  // Best effort: the console sums up on the spot, or says how old its sums are.
  const runQuietly = () => run().catch(() => undefined)
  let running = runQuietly()
  const timer = setInterval(() => {
    running = runQuietly()
  }, HOUR_MS)
  return async () => {
    isStopped = true
    clearInterval(timer)
    await running
  }
}
