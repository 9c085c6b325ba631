import { pMapIterable } from 'p-map'
import { DAY_SECONDS, dayOf } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { scopeKindOf } from '#lib/base/scope.ts'
import { BLANK_CALL, type Call, itemOfCall, ownerShardOf } from '#lib/calls/call.ts'
import { scopesOf } from '#lib/calls/counted-change.ts'
import { type Counting, callStatsKeys, countedInStats } from '#lib/calls/counters/call-stats.ts'
import { ownerOfDay } from '#lib/calls/counters/owners-of-days.ts'
import { addTallies, NOTHING, tallyOf } from '#lib/calls/counters/statistics.ts'
import { readSettings } from '#lib/settings/settings.ts'
import type { Key } from '#lib/table/keys.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/table/requests/batches.ts'
import { CHANGES_IN_ONE_TRANSACTION } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { newShards } from '#test/shards.ts'
import { stampOfNewTable } from '#tools/command-line/table-stamp.ts'

/** Calls from a moment on, spread evenly over time, customers and their owners. */
export interface CallsToWrite {
  readonly count: number
  /** In Unix seconds. */
  readonly start: number
  readonly days: number
  readonly owners: number
  readonly customers: number
}

export const FIRST_CUSTOMER = 10_000

/** The owner of the customer at a position; the admin where there are no owners. */
export const ownerAt = (position: number, owners: number): number =>
  owners === 0 ? 0 : 1 + (position % owners)

/** One of the calls, by its position. */
export function callAt(n: number, { count, start, days, owners, customers }: CallsToWrite): Call {
  const calldate = start + Math.floor((n * days * DAY_SECONDS) / count)
  const customer = n % customers
  return {
    ...BLANK_CALL,
    uniqueid: `${calldate}.${n}`,
    calldate,
    day: dayOf(calldate, 'UTC'),
    src: '37060012345',
    dst: '12025550199',
    disposition: 'ANSWERED',
    duration: 70,
    billsec: 61,
    hangupcause: 16,
    user_id: FIRST_CUSTOMER + customer,
    owner_id: ownerAt(customer, owners),
    direct: false,
    charged: undefined,
    held_at: undefined,
    device_id: 100,
    provider_id: 7,
    user_rate: '0.0987',
    user_price: '0.100345',
    provider_rate: '0.05',
    provider_price: '0.050833',
    reseller_price: '0.070123',
    digest: 'x'.repeat(43),
    rated: '',
    version: 1,
  }
}

const WRITES_AT_ONCE = 8

/** Those of a new table. */
const LISTS = readSettings(stampOfNewTable)

/** Writes calls and counters past the import, many times as fast. `written` receives their number. */
export async function writeManyCalls(
  store: Store,
  calls: CallsToWrite,
  written: (count: number) => void = () => {},
): Promise<void> {
  const [counted, noted] = [new Map<string, Counting>(), new Map<string, Key>()]
  let count = 0
  const write = (some: readonly Call[]) => {
    for (const call of some) noteCall(call, counted, noted)
    return store.putBatch(some.map((call) => itemOfCall(call, LISTS)))
  }
  const batches = slices(generatedCalls(calls), ITEMS_IN_ONE_WRITE)
  for await (const _ of pMapIterable(batches, write, { concurrency: WRITES_AT_ONCE })) {
    count += ITEMS_IN_ONE_WRITE
    written(count)
  }
  for (const some of slices(noted.values(), ITEMS_IN_ONE_WRITE)) await store.putBatch(some)
  const writeCounters = (some: readonly Counting[]) =>
    store.transact(some.map((counting) => countedInStats(counting, 0, newShards)))
  const slicesOfCounters = slices(counted.values(), CHANGES_IN_ONE_TRANSACTION)
  for await (const _ of pMapIterable(slicesOfCounters, writeCounters, { concurrency: WRITES_AT_ONCE }));
}

function* generatedCalls(calls: CallsToWrite): Generator<Call> {
  for (let n = 0; n < calls.count; n += 1) yield callAt(n, calls)
}

/** Counts a call, and notes the day of its owner. */
function noteCall(call: Call, counted: Map<string, Counting>, noted: Map<string, Key>): void {
  const { day } = call
  for (const scope of scopesOf(call)) {
    const name = `${callStatsKeys.of(scope)} ${day}`
    const before = counted.get(name)?.tally ?? NOTHING
    counted.set(name, { scope, day, tally: addTallies(before, tallyOf(call, scopeKindOf(scope))) })
  }
  const owner = ownerOfDay(day, ownerShardOf(call, LISTS))
  noted.set(owner.SK, owner)
}
