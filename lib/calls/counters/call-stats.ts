import * as v from 'valibot'
import { type Actor, ownsCustomers } from '#lib/base/account-types.ts'
import { isCharged } from '#lib/base/balance.ts'
import {
  addDays,
  type Day,
  type Days,
  dayOf,
  firstOfMonth,
  HOUR_SECONDS,
  LAST_DAY,
  type Seconds,
} from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { add, type Money, ZERO } from '#lib/base/money.ts'
import { type Scope, scopeKindOf } from '#lib/base/scope.ts'
import { countersOf, listShards, MOST_COUNTERS, type Shards } from '#lib/base/shards.ts'
import { readSettings, type Settings } from '#lib/settings/settings.ts'
import { exactly, type Item } from '#lib/table/items.ts'
import { type Key, keyForm, keyReader, listNames, nameOfList } from '#lib/table/keys.ts'
import { absent, absentOrIs, type Change, type Conditions, is } from '#lib/table/requests/changes.ts'
import { ignoreConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { addSums, addTallies, type FurtherSums, NO_FURTHER, type Tally } from './statistics.ts'

export interface DayOfCalls {
  readonly day: Day
  readonly tally: Tally
  /** The sums of all calls only if `hasFurtherSums` says so of the day. */
  readonly further: FurtherSums
  /** The changes of calls after the day was archived; 0 for all scopes but everyone. */
  readonly late: number
  /** The marked hours; only everyone's counters have them. */
  readonly hours: readonly MarkedHour[]
}

/**
 * An hour of UTC, counted since 1970, with changes of calls that began in it since `sum_up_days` read them
 * last. Each counter has marks of its own.
 */
interface MarkedHour {
  readonly hour: number
  readonly counter: Key
  readonly changes: number
}

/** The sums of calls as entries of a schema. */
export const tallyEntries = {
  calls: v.number(),
  answered: v.number(),
  billsec: v.number(),
  revenue: v.string(),
  self_cost: v.string(),
} satisfies Record<keyof Tally, v.GenericSchema>

const shardKey = keyForm('<list>#<shard>', 'DAY#<day>')

/**
 * Counters of the calls of a day, per customer, per reseller or partner, and for everyone. They are split
 * over partitions, because DynamoDB limits the writes of a partition key.
 */
export const callStatsKeys = {
  item: shardKey,
  lists: listNames('STATS'),
  of: (scope: Scope): string => nameOfList(callStatsKeys.lists, scope),
}

/** The counts that a batch of calls adds to a scope and day; negative for replaced calls. */
export interface Counting {
  readonly scope: Scope
  readonly day: Day
  readonly tally: Tally
  readonly further?: Partial<FurtherSums>
  /** The changes of calls whose day was archived before. Only everyone's counters have them. */
  readonly late?: number
  /** The changes by the marks of their hours. Only everyone's counters have them. */
  readonly hours?: Readonly<Record<string, number>>
  /** Fails if the day is fenced and its new calls are to be charged otherwise. Costs no unit. */
  readonly fence?: Conditions | undefined
}

/** For the transaction that stores the calls. `turn` picks the item of those that share the counting. */
export const countedInStats = (
  { scope, day, tally, further, late = 0, hours, fence }: Counting,
  turn: number,
  { written }: Pick<Shards, 'written'>,
): Change => ({
  update: shardKey(callStatsKeys.of(scope), turn % countersOf(scopeKindOf(scope), written), day),
  to: {
    add: Object.fromEntries(
      Object.entries({ ...tally, ...further, late, ...hours }).flatMap(([name, by]) => addendOf(name, by)),
    ),
  },
  ...(fence && { when: fence }),
})

export const markOf = (calldate: Seconds): string => nameOfMark(hourOf(calldate))

const nameOfMark = (hour: number): string => `h${hour}`

export const hourOf = (calldate: Seconds): number => Math.floor(calldate / HOUR_SECONDS)

const marksIn = (items: readonly Item[]): MarkedHour[] =>
  items.flatMap(({ PK, SK, ...counters }) =>
    Object.entries(counters)
      .filter(([name]) => /^h\d+$/.test(name))
      .map(([name, changes]) => ({
        hour: Number(name.slice(1)),
        counter: { PK: String(PK), SK: String(SK) },
        changes: Number(changes),
      })),
  )

/** Removes a mark, unless calls of its hour were changed since it was read. */
export const removeMark = (store: Store, { hour, counter, changes }: MarkedHour): Promise<unknown> => {
  const mark = nameOfMark(hour)
  return store
    .update(counter, { set: { [mark]: undefined } }, { [mark]: is(changes) })
    .catch(ignoreConditionFailed)
}

/** The condition that new calls of a day, all charged or all not, are stored as the fence of the day says. */
export const asFenced = (charged: readonly boolean[]): Conditions => {
  const [first] = charged
  return { [FENCE]: charged.every((one) => one === first) ? absentOrIs(first) : absent }
}

/** Tells, in everyone's counters of a day, whether new calls of the day are charged to balances. */
const FENCE = 'charges'

/**
 * Fences a day: from now on only calls are stored that are charged, or only such that are not. All counters
 * that a table can have are fenced, so that a fence holds while it grows.
 */
export const fencesOfDay = (day: Day, charges: boolean) =>
  everyoneOn(day).map((key) => ({ update: key, to: { set: { [FENCE]: charges } } }))

export const everyoneOn = (day: Day): Key[] => partsOn(day, 'everyone')

export const partsOn = (day: Day, scope: Scope): Key[] =>
  Array.from({ length: MOST_COUNTERS[scopeKindOf(scope)] }, (_, shard) =>
    shardKey(callStatsKeys.of(scope), shard, day),
  )

const addendOf = (name: string, by: number | Money): [string, unknown][] =>
  Number(by) === 0 ? [] : [[name, exactly(by)]]

/**
 * The days of a range that have counters, ascending. One round trip, in which all shards are read eventually:
 * those of the settings, which must be less than a second old, or all that a table can have.
 */
export async function listDaysOfCalls(
  store: Store,
  scope: Scope,
  days: Days,
  shards?: Shards,
): Promise<DayOfCalls[]> {
  const byDay = Map.groupBy(await countersIn(store, scope, days, shards), dayOfCounter)
  return [...byDay]
    .map(([day, items]) => ({ day, ...countedIn(items) }))
    .sort((one, other) => ascending(one.day, other.day))
}

async function countersIn(
  store: Store,
  scope: Scope,
  { from, till }: Days,
  shards?: Shards,
  attributes?: readonly string[],
): Promise<Item[]> {
  const kind = scopeKindOf(scope)
  const length = shards ? countersOf(kind, listShards(shards)) : MOST_COUNTERS[kind]
  const counters = Array.from({ length }, (_, shard) => {
    const keyOn = (day: Day) => shardKey(callStatsKeys.of(scope), shard, day)
    const { PK: partition, SK: first } = keyOn(from)
    const range = { partition, between: [first, keyOn(till).SK] } as const
    return store.list({ ...range, eventual: true, ...(attributes && { attributes }) })
  })
  return (await Promise.all(counters)).flat()
}

/** The counters of scopes on one day, in their order. All parts are read as they are now. */
export async function countersOn(
  store: Store,
  day: Day,
  scopes: readonly Scope[],
): Promise<Omit<DayOfCalls, 'day'>[]> {
  const items = await store.getMany(scopes.flatMap((scope) => partsOn(day, scope)))
  return scopes.map((scope) =>
    countedIn(items.splice(0, MOST_COUNTERS[scopeKindOf(scope)]).filter((item) => item !== undefined)),
  )
}

/** The price of an account's calls of a day, and of its customers' calls as it pays them. */
export async function chargedOn(
  store: Store,
  day: Day,
  account: Pick<Actor, 'id' | 'usertype'>,
): Promise<Money> {
  const scopes = [{ user: account.id }, ...(ownsCustomers(account) ? [{ owner: account.id }] : [])]
  return add(...(await countersOn(store, day, scopes)).map(({ further }) => further.charged))
}

export const countedIn = (items: readonly Item[]): Omit<DayOfCalls, 'day'> => ({
  tally: addTallies(...items.map(readTally)),
  further: items.map(readFurther).reduce(addSums, NO_FURTHER),
  late: items.reduce((sum, { late = 0 }) => sum + Number(late), 0),
  hours: marksIn(items),
})

const readShardKey = keyReader(shardKey)

const dayOfCounter = (item: Item): Day => readShardKey(item)?.day ?? ''

export async function daysWithCalls(store: Store, from: Day): Promise<Day[]> {
  const days = await listDaysOfCalls(store, 'everyone', { from, till: LAST_DAY })
  return days.filter(({ tally }) => tally.calls > 0).map(({ day }) => day)
}

/** A sum may have more digits than an amount, and DynamoDB may print it with an exponent. */
export const readTally = (item: Item): Tally => ({
  calls: Number(item['calls'] ?? 0),
  answered: Number(item['answered'] ?? 0),
  billsec: Number(item['billsec'] ?? 0),
  revenue: add(String(item['revenue'] ?? ZERO)),
  self_cost: add(String(item['self_cost'] ?? ZERO)),
})

export const readFurther = (item: Item): FurtherSums =>
  Object.fromEntries(
    Object.entries(NO_FURTHER).map(([name, none]) => [
      name,
      typeof none === 'number' ? Number(item[name] ?? 0) : add(String(item[name] ?? ZERO)),
    ]),
  ) as unknown as FurtherSums

/** The totals of this month up to today, and of today. They cost one round trip for any number of calls. */
export async function findQuickStats(
  store: Store,
  scope: Scope,
  today: Day,
  shards?: Shards,
): Promise<{ month: Tally; today: Tally }> {
  const days = { from: firstOfMonth(today), till: today }
  const counters = await countersIn(store, scope, days, shards, ['PK', 'SK', ...Object.keys(tallyEntries)])
  return {
    month: addTallies(...counters.map(readTally)),
    today: addTallies(...counters.filter((item) => dayOfCounter(item) === today).map(readTally)),
  }
}

/** Beside the settings is the earliest day that Balance_From ever was: no earlier call is charged. */
export const EARLIEST_DAY = 'Balance_Earliest'

/** The earliest day whose calls a change of Balance_From concerns. */
export const earliestBalanceDay = (stored: Item, after: Day): Day | undefined =>
  [stored[EARLIEST_DAY], stored['Balance_From'], after]
    .filter((day): day is Day => typeof day === 'string' && day !== '')
    .sort()[0]

const DAYS_AHEAD = 7

/** The days from some past ones until a week from now, on any of which a first call may come. */
export const daysAround = (now: Seconds, earliest: Day, { Timezone }: Settings, past = 1): Day[] =>
  Array.from({ length: past + 1 + DAYS_AHEAD }, (_, index) =>
    addDays(dayOf(now, Timezone), index - past),
  ).filter((day) => day >= earliest)

/** The fences of a Balance_From that is set while no day has calls that it concerns. They fail if one has. */
export function fencesOfUnusedDays(stored: Item, after: Day, now: Seconds): Change[] {
  const settings = readSettings({ ...stored, Balance_From: after })
  const days = daysAround(now, earliestBalanceDay(stored, after) ?? '', settings)
  return days.flatMap((day) =>
    fencesOfDay(day, isCharged(day, settings)).map((fence) => ({ ...fence, when: { calls: absentOrIs(0) } })),
  )
}
