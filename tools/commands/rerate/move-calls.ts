import { ALL_TIME, dayOf } from '#lib/domain/calendar.ts'
import type { Settings } from '#lib/domain/settings.ts'
import { chargedDay } from '#lib/rating/call-decision.ts'
import { changeCalls } from '#lib/rating/change-calls.ts'
import type { Call } from '#lib/store/calls/call.ts'
import { listCallDays, listCalls } from '#lib/store/calls/call-search.ts'
import type { CallChange } from '#lib/store/calls/call-storage.ts'
import { settingsOf } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'

const ALL_DAYS = { from: '0000-01-01', till: '9999-12-31' }

/**
 * Moves every call to its day in this zone and from counter to counter, each call in one transaction. Returns the number of
 * moved calls.
 */
export async function moveCallsToDays(store: Store, zone: string): Promise<number> {
  const settings = await settingsOf(store)
  const days = await listCallDays(store, ['everyone'], ALL_DAYS)
  let count = 0
  for await (const calls of listCalls(store, days, ALL_TIME)) {
    const seen = calls.map((call) => ({ identity: call, came: call, before: call }))
    const decided = await changeCalls({ store, settings }, seen, async ({ before }) => ({
      change: before && changeOfDay(before, dayOf(before.calldate, zone), settings),
    }))
    count += [...decided.values()].filter(({ change }) => change).length
  }
  return count
}

const changeOfDay = (before: Call, day: string, settings: Settings): CallChange | undefined =>
  before.day === day
    ? undefined
    : { before, after: { ...before, ...chargedDay(day, settings, before), version: before.version + 1 } }
