import { ALL_TIME, dayOf, EVERY_DAY } from '#lib/base/calendar.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import { chargedDay } from '#lib/calls/rating/change-calls.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { changeStoredCalls } from './change-stored-calls.ts'

/**
 * Moves every call to its day in this zone and from counter to counter, each call in one transaction. Returns
 * the number of moved calls.
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
