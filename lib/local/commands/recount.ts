import { ALL_TIME, dayOf } from '#lib/domain/calendar.ts'
import type { Call } from '#lib/store/calls/call.ts'
import { listCallDays, listCalls } from '#lib/store/calls/call-search.ts'
import { type CallChange, findChanges, storeCalls } from '#lib/store/calls/call-storage.ts'
import type { Store } from '#lib/store/store.ts'

const ALL_DAYS = { from: '0000-01-01', till: '9999-12-31' }

/**
 * Files every call under its day in this zone, and moves it from counter to counter in the same transaction. May be
 * interrupted and run again; answers how many calls were moved.
 */
export async function recountDays(store: Store, zone: string): Promise<number> {
  const days = await listCallDays(store, ['everyone'], ALL_DAYS)
  const moved = (call: Call): Call => ({
    ...call,
    day: dayOf(call.calldate, zone),
    version: call.version + 1,
  })
  let count = 0
  for await (const calls of listCalls(store, days, ALL_TIME)) {
    let pending = calls.map((before): CallChange => ({ before, after: moved(before) }))
    while (pending.length > 0) {
      const changes = pending.filter(({ before, after }) => before?.day !== after.day)
      const missed = await storeCalls(store, changes)
      count += changes.length - missed.length
      pending = await findChanges(store, missed, moved)
    }
  }
  return count
}
