import { ALL_TIME, dayOf, EVERY_DAY } from '#lib/domain/calendar.ts'
import { chargedDay } from '#lib/rating/call-decision.ts'
import { listCallDays, listCalls } from '#lib/store/calls/call-search.ts'
import { settingsOf } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'
import { changeStoredCalls } from './change-stored-calls.ts'

/**
 * Moves every call to its day in this zone and from counter to counter, each call in one transaction. Returns the number of
 * moved calls.
 */
export async function moveCallsToDays(store: Store, zone: string): Promise<number> {
  const settings = await settingsOf(store)
  const days = await listCallDays(store, ['everyone'], EVERY_DAY)
  let count = 0
  for await (const calls of listCalls(store, days, ALL_TIME))
    count += await changeStoredCalls({ store, settings }, calls, (call) => {
      const day = dayOf(call.calldate, zone)
      return call.day === day ? undefined : chargedDay(day, settings, call)
    })
  return count
}
