import { type AttributeValue, BatchWriteItemCommand } from '@aws-sdk/client-dynamodb'
import { pMapIterable } from 'p-map'
import { type Scope, scopeKindOf } from '#lib/domain/accounts/scope.ts'
import { DAY_SECONDS, dayOf } from '#lib/domain/calendar.ts'
import { tallyOf } from '#lib/domain/calls/statistics.ts'
import { slices } from '#lib/domain/collections.ts'
import { multiply } from '#lib/domain/money.ts'
import { BLANK_CALL, type Call, itemOfCall, ownerShardOf } from '#lib/store/calls/call.ts'
import { callStatsKeys, ownerOfDay } from '#lib/store/calls/call-stats.ts'
import { scopesOf } from '#lib/store/calls/call-storage.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/store/requests/batches.ts'
import type { TableClient } from '#lib/store/requests/client.ts'

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

/** Writes the calls straight into the table with their counters, many times as fast as an import. `written` receives their number. */
export async function writeManyCalls(
  client: TableClient,
  tableName: string,
  calls: CallsToWrite,
  written: (count: number) => void = () => {},
): Promise<void> {
  const write = (items: readonly RawItem[]) => {
    const puts = items.map((Item) => ({ PutRequest: { Item } }))
    return client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: puts } }))
  }
  let count = 0
  for await (const _ of pMapIterable(slices(itemsOf(calls), ITEMS_IN_ONE_WRITE), write, {
    concurrency: WRITES_AT_ONCE,
  })) {
    count += ITEMS_IN_ONE_WRITE
    written(count)
  }
}

type RawItem = Record<string, AttributeValue>

/** The items of the calls, then those of the counters and of the owners' days. */
function* itemsOf(calls: CallsToWrite): Generator<RawItem> {
  const counted = new Map<string, Counted>()
  const noted = new Map<string, RawItem>()
  for (let n = 0; n < calls.count; n += 1) {
    const call = callAt(n, calls)
    for (const scope of scopesOf(call)) count(counted, scope, call)
    const owner = ownerOfDay(call.day, ownerShardOf(call))
    noted.set(owner.SK, toRawItem(owner))
    yield toRawItem(itemOfCall(call))
  }
  yield* [...counted.values()].map(counterOf)
  yield* noted.values()
}

/** The calls of a scope and a day. All of them have the amounts of one. */
interface Counted {
  readonly scope: Scope
  readonly call: Call
  calls: number
}

function count(counted: Map<string, Counted>, scope: Scope, call: Call): void {
  const name = `${callStatsKeys.of(scope)} ${call.day}`
  const known = counted.get(name)
  if (known) known.calls += 1
  else counted.set(name, { scope, call, calls: 1 })
}

function counterOf({ scope, call, calls }: Counted): RawItem {
  const { revenue, self_cost, billsec } = tallyOf(call, scopeKindOf(scope))
  return {
    ...toRawItem(callStatsKeys.item(callStatsKeys.of(scope), '0', call.day)),
    calls: { N: String(calls) },
    answered: { N: String(calls) },
    billsec: { N: String(billsec * calls) },
    revenue: { N: multiply(revenue, calls) },
    self_cost: { N: multiply(self_cost, calls) },
  }
}

const toRawItem = (item: object): RawItem =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      typeof value === 'number' ? { N: String(value) } : { S: String(value) },
    ]),
  )
