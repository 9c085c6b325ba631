import { NumberValue as ExactNumber } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { type Scope, type ScopeKind, scopeKindOf } from '#lib/domain/accounts/scope.ts'
import { type Day, firstOfMonth } from '#lib/domain/calendar.ts'
import { addTallies, NOTHING, type Tally } from '#lib/domain/calls/statistics.ts'
import { add, type Money, ZERO } from '#lib/domain/money.ts'
import type { Item } from '#lib/store/items.ts'
import { type Key, scopedList } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

/** The counters of a day, and, for everyone's, the owners who had calls on it. */
export interface DayOfCalls {
  readonly day: Day
  readonly tally: Tally
  readonly owners: ReadonlySet<number>
}

// Keys

/** Counters of the calls of a day, per customer, per owner and for everyone; those of busy scopes are split. */
export const callStatsKeys = {
  item: (partition: string, day: string, shard: number): Key => ({
    PK: partition,
    SK: `DAY#${day}#${shard}`,
  }),
  of: (scope: Scope): string => scopedList('STATS', scope),
  /** Both days belong to the stretch. */
  between: (from: string, till: string): readonly [string, string] => [`DAY#${from}`, `DAY#${till}#~`],
  dayIn: (sortKey: string): string => sortKey.slice('DAY#'.length, 'DAY#YYYY-MM-DD'.length),
}

/** How many items share the counting of one day: as many batches can be stored at once without a conflict. */
export const SHARDS_OF: Readonly<Record<ScopeKind, number>> = { user: 1, owner: 4, everyone: 8 }

// Access patterns

/** What a batch of calls adds to the counters of one scope and day; negative where calls are taken out again. */
export interface Counting {
  readonly scope: Scope
  readonly day: Day
  readonly tally: Tally
  /** Counted for everyone only. */
  readonly owners: readonly number[]
}

/** For the transaction that stores the calls. `turn` picks the item of those that share the counting. */
export const countedInStats = ({ scope, day, tally, owners }: Counting, turn: number): Change => ({
  update: callStatsKeys.item(callStatsKeys.of(scope), day, turn % SHARDS_OF[scopeKindOf(scope)]),
  to: {
    add: {
      ...Object.fromEntries(Object.entries(tally).flatMap(([name, by]) => addendOf(name, by))),
      ...(scope === 'everyone' && owners.length > 0 && { owners: new Set(owners) }),
    },
  },
})

/** DynamoDB adds numbers of 38 digits exactly; a JavaScript number would not get there exactly. */
const addendOf = (name: string, by: number | Money): [string, unknown][] =>
  Number(by) === 0 ? [] : [[name, ExactNumber.from(String(by))]]

/** Both days belong to it. */
export interface Days {
  readonly from: Day
  readonly till: Day
}

/** The days of a stretch that have counters, ascending. One round trip up to a few thousand of them. */
export async function listDaysOfCalls(
  store: Store,
  scope: Scope,
  { from, till }: Days,
): Promise<DayOfCalls[]> {
  const partition = callStatsKeys.of(scope)
  const days = new Map<Day, DayOfCalls>()
  for (const item of await store.list({ partition, between: callStatsKeys.between(from, till) })) {
    const day = callStatsKeys.dayIn(String(item['SK']))
    const known = days.get(day) ?? { day, tally: NOTHING, owners: new Set() }
    days.set(day, withShard(known, item))
  }
  return [...days.values()]
}

const withShard = ({ day, tally, owners }: DayOfCalls, item: Item): DayOfCalls => ({
  day,
  tally: addTallies(tally, readTally(item)),
  owners: new Set([...owners, ...ownersIn(item)]),
})

export const ownersIn = (item: Item): ReadonlySet<number> => v.parse(ownersSchema, item['owners'])

const ownersSchema = v.optional(v.set(v.number()), new Set<number>())

/** A sum may have more digits than an amount, and DynamoDB may print it with an exponent. */
export const readTally = (item: Item): Tally => ({
  calls: Number(item['calls'] ?? 0),
  answered: Number(item['answered'] ?? 0),
  billsec: Number(item['billsec'] ?? 0),
  revenue: add(String(item['revenue'] ?? ZERO)),
  self_cost: add(String(item['self_cost'] ?? ZERO)),
})

/** What the dashboard shows: this month up to today, and today. One round trip, whatever the number of calls. */
export async function findQuickStats(
  store: Store,
  scope: Scope,
  today: Day,
): Promise<{ month: Tally; today: Tally }> {
  const days = await listDaysOfCalls(store, scope, { from: firstOfMonth(today), till: today })
  return {
    month: addTallies(...days.map(({ tally }) => tally)),
    today: days.find(({ day }) => day === today)?.tally ?? NOTHING,
  }
}

/** Whether any call was ever stored: from then on the days of the counters hang on the time zone. */
export async function hasCalls(store: Store): Promise<boolean> {
  for await (const page of store.pages({ partition: callStatsKeys.of('everyone'), pageSize: 1 }))
    return page.length > 0
  return false
}
