import { chargeEveryone } from '#lib/billing/charges/charge-run.ts'
import { sumUpDays } from '#lib/calls/report/day-groups.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { openTable } from '../command-line/open-table.ts'

const HOUR_MS = 3_600_000

/** Makes the charges that are due. A subscription that cannot be charged is listed by `npx tollgate charges list`. */
async function chargeOnce(location: TableLocation): Promise<void> {
  const store = openTable(location)
  const run = { store, settings: await settingsOf(store), now: new Date() }
  for await (const _ of chargeEveryone(run));
}

/** Sums up the days that have changed. */
export async function sumUpOnce(location: TableLocation, hasTime = () => true): Promise<void> {
  const store = openTable(location)
  const settings = await settingsOf(store)
  await sumUpDays({ store, settings, now: new Date(), hasTime })
}

/** Charges and sums up at once and then every hour, as the hourly functions do in AWS. Returns what ends it. */
export function startHourlySums(location: TableLocation): () => Promise<void> {
  let isStopped = false
  // Best effort: the console sums up on the spot, or says how old its sums are, and the next run charges what this one did not.
  const run = async () => {
    await chargeOnce(location).catch(() => undefined)
    await sumUpOnce(location, () => !isStopped).catch(() => undefined)
  }
  let running = run()
  const timer = setInterval(() => {
    running = run()
  }, HOUR_MS)
  return async () => {
    isStopped = true
    clearInterval(timer)
    await running
  }
}
