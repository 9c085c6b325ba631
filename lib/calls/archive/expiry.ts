import { setTimeout } from 'node:timers/promises'
import pMap from 'p-map'
import { DAY_SECONDS, type Seconds } from '#lib/base/calendar.ts'
import { inBatches } from '#lib/base/collections.ts'
import { absent, is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { table } from '#lib/table/table.ts'
import { callKeys } from '../call.ts'
import type { LeavingCall } from './progress.ts'

/**
 * A call stays for another day after it was archived: a process that does not know it yet can still read it,
 * and DynamoDB removes it a few days later at the latest.
 */
const STAYS_SECONDS = DAY_SECONDS

/** Two units each, for the call and its copy in GSI1: at most 4,000 units a second. */
const CALLS_A_SECOND = 2000
/** The largest number of calls that a killed run repeats. */
export const CALLS_IN_ONE_BATCH = 500
const UPDATES_AT_ONCE = 32

/** The result for a batch of calls. */
interface LeftBatch {
  readonly calls: number
  /** The number of those that were changed since they were archived. */
  readonly changed: number
}

/** Sets the time to live of archived calls, and yields after each batch. */
export async function* expireCalls(
  store: Store,
  leaving: AsyncIterable<LeavingCall>,
  now: Seconds,
): AsyncGenerator<LeftBatch> {
  for await (const calls of inBatches(leaving, CALLS_IN_ONE_BATCH)) {
    const pause = setTimeout((1000 * calls.length) / CALLS_A_SECOND)
    const isSet = await pMap(calls, (call) => expire(store, call, now + STAYS_SECONDS), {
      concurrency: UPDATES_AT_ONCE,
    })
    const others = calls.filter((_, index) => !isSet[index])
    yield { calls: calls.length, changed: await countChanged(store, others) }
    await pause
  }
}

const { timeToLive } = table

/** Returns false for a call that is gone, that was changed, or that has its time to live already. */
function expire(store: Store, call: LeavingCall, at: Seconds): Promise<boolean> {
  const when = { version: is(call.version), [timeToLive]: absent }
  return hasWritten(store.update(callKeys.item(call), { set: { [timeToLive]: at } }, when))
}

async function countChanged(store: Store, calls: readonly LeavingCall[]): Promise<number> {
  const items = await store.getMany(calls.map(callKeys.item))
  return calls.filter((call, index) => {
    const item = items[index]
    return item !== undefined && (item['version'] !== call.version || item[timeToLive] === undefined)
  }).length
}
