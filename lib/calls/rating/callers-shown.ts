import { addDays, today } from '#lib/base/calendar.ts'
import { hasOrigins } from '#lib/rates/origins/origins.ts'
import { FREE_REASONS } from '#lib/rates/rating.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { newestCalls } from '../call-page.ts'
import { daysInTable } from '../retention.ts'
import { callerOfCall } from './call-rating.ts'
import { openRateBook } from './rate-book.ts'

/** The newest calls whose callers are looked at, and the days that have them: about 15 read units. */
const MOST_CALLS = 100
const MOST_READ = 200
const DAYS = 7

/**
 * Says, for a tariff with rates of origins, how many of the newest calls have no usable number of their
 * caller: such calls pay most (wire.md 7.7). Reads nothing for another tariff.
 */
export async function describeCallers(store: Store, lines: Iterable<string>, now: Date): Promise<string[]> {
  if (!hasOrigins(lines)) return []
  const settings = await settingsOf(store)
  const till = today(now, settings.Timezone)
  const { calls } = await newestCalls(store, {
    of: ['everyone'],
    days: daysInTable({ from: addDays(till, 1 - DAYS), till }, settings),
    settings,
    ...{ after: undefined, count: MOST_CALLS, mostRead: MOST_READ },
    matches: ({ rated }) => !FREE_REASONS.some((reason) => reason === rated),
  })
  if (calls.length === 0) return []
  const book = await openRateBook(store, [], settings)
  const callers = await Promise.all(calls.map((call) => callerOfCall(book, call)))
  const without = callers.filter(({ digits }) => digits === undefined).length
  const share = `${Math.round((without * 100) / calls.length)} %`
  const found = `callers without a usable number: ${without} of the newest ${calls.length} calls, ${share}`
  return [without === 0 ? found : `warning: ${found}. Such calls pay what invalid callers do`]
}
