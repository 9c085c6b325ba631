import { randomInt } from 'node:crypto'
import pMap from 'p-map'
import { findAccounts } from '#lib/accounts/account.ts'
import { ALL_TIME, type Day } from '#lib/base/calendar.ts'
import { add, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { ADMIN_ACCOUNT, type Scope } from '#lib/base/scope.ts'
import type { CallLists } from '#lib/base/shards.ts'
import { MOST_COUNTERS } from '#lib/base/shards.ts'
import { type Call, findCalls, listCallsOfUserOn } from '#lib/calls/call.ts'
import {
  type Counting,
  callStatsKeys,
  countedIn,
  countedInStats,
  partsOn,
} from '#lib/calls/counters/call-stats.ts'
import {
  addSums,
  addTallies,
  type FurtherSums,
  furtherSumsOf,
  isNothing,
  isSameTally,
  NO_FURTHER,
  NOTHING,
  negative,
  tallyOf,
} from '#lib/calls/counters/statistics.ts'
import { isArchivedDay } from '#lib/calls/retention.ts'
import { readSettings, type Settings } from '#lib/settings/settings.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { inList, keyReader } from '#lib/table/keys.ts'
import { absent, type Change } from '#lib/table/requests/changes.ts'
import { hasWritten, repeating, TooMuchContention } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { NO_REPAIR, type Repair } from './new-entries.ts'

/** A customer's day, whose counters lack the further sums of the calls that earlier releases stored. */
interface CustomerDay {
  readonly user: number
  readonly day: Day
}

const readCustomerDay = keyReader(inList(callStatsKeys.item, callStatsKeys.lists.user.text))

/** The attribute of a customer's counters to which the sums of earlier calls were added. */
const RECOUNTED = 'recounted'

const DAYS_AT_ONCE = 8

/**
 * Adds the further sums of earlier calls to the counters of these items' customer days, once a day, and to
 * those of owners and everyone. Writers add the sums of their changes. An archived day is left as it is.
 */
export async function recountDays(
  store: Store,
  items: readonly Item[],
  dryRun: boolean,
): Promise<readonly Repair[]> {
  const settings = readSettings(await findSettings(store))
  const found = items.map(readCustomerDay).filter((values) => values !== undefined)
  const days = new Map(
    found.map(({ id = '', day = '' }) => [`${id} ${day}`, { user: Number(id), day }] as const),
  )
  const open = [...days.values()].filter(({ day }) => !isArchivedDay(day, settings))
  return pMap(open, (one) => recountDay(store, settings, one, dryRun), { concurrency: DAYS_AT_ONCE })
}

async function recountDay(
  store: Store,
  settings: Settings,
  wanted: CustomerDay,
  dryRun: boolean,
): Promise<Repair> {
  const attempt = async () => {
    const base = await findBase(store, wanted, settings)
    if (base.length === 0 || dryRun) return base.length === 0 ? NO_REPAIR : ONE_DAY
    return (await hasWritten(store.transact(changesFor(base, settings.shards)))) ? ONE_DAY : NO_REPAIR
  }
  return repeating(store.meter, attempt, (error) => error instanceof TooMuchContention).catch(
    (error: Error) => {
      if (!(error instanceof TooMuchContention)) throw error
      return { problem: error.message }
    },
  )
}

const ONE_DAY: Repair = { recounted: 1 }

/** The mark is in the first part of the customer's counters, so that a day is recounted once. */
const changesFor = (base: readonly Counting[], shards: Settings['shards']): Change[] =>
  base.map((counting, index): Change => {
    if (index > 0) return countedInStats(counting, randomInt(MOST_COUNTERS.everyone), shards)
    const own = countedInStats({ ...counting, fence: { [RECOUNTED]: absent } }, 0, shards)
    return 'update' in own ? { ...own, to: { ...own.to, set: { [RECOUNTED]: true } } } : own
  })

/**
 * The counts that the counters of a customer's day, its owner and everyone lack: the sums of its calls, less
 * those that writers added. Both are read while the day does not change. Empty if the day was recounted.
 */
async function findBase(
  store: Store,
  { user, day }: CustomerDay,
  lists: CallLists,
): Promise<readonly Counting[]> {
  const counters = await findCounters(store, { user, day })
  if (counters.isRecounted) return []
  const listed = await listCallsOfUserOn(store, { user, day, period: ALL_TIME }, lists)
  // An index may show a call as it was before a change, which the counters have.
  const stored = counters.further.changes > 0 ? await findCalls(store, listed) : listed
  const calls = stored.filter((call): call is Call => call?.day === day && call.user_id === user)
  const isSteady = isSame(await findCounters(store, { user, day }), counters)
  if (!isSteady || !isSameTally(addTallies(...calls.map((call) => tallyOf(call, 'user'))), counters.tally))
    throw new TooMuchContention(
      `The calls of account ${user} on ${day} kept changing, or differ from their counters: run this again`,
    )
  const { changes: _, ...written } = counters.further
  const lacking = addSums(sumsOf(calls), negative(written))
  const { unknown_cost, unknown_cost_revenue, below_cost } = lacking
  const owners = await chargedToOwners(store, user, calls, written.earned)
  const others: readonly (readonly [Scope, Counting['further'] & {}])[] = [
    ['everyone', { unknown_cost, unknown_cost_revenue, below_cost }],
    ...owners.map(([owner, charged]) => [{ owner }, { charged }] as const),
  ]
  return [[{ user }, lacking] as const, ...others.filter(([, further]) => !isNothing(further))].map(
    ([scope, further]) => ({ scope, day, tally: NOTHING, further }),
  )
}

const sumsOf = (calls: readonly Call[]): Omit<FurtherSums, 'changes'> => {
  const { changes: _, ...none } = NO_FURTHER
  return calls.map((call) => furtherSumsOf(call, 'user')).reduce(addSums, none)
}

/**
 * The reseller's charge is admin's revenue of a reseller's customer. Writers have charged the owner of the
 * last call, or that of the account if no call is left.
 */
async function chargedToOwners(
  store: Store,
  user: number,
  calls: readonly Call[],
  written: Money,
): Promise<(readonly [owner: number, charged: Money])[]> {
  const last = calls.at(-1)?.owner_id ?? (await findAccounts(store, [user]))[0]?.owner_id ?? ADMIN_ACCOUNT
  const prices = calls.map(({ owner_id, reseller_price = ZERO }) => [owner_id, reseller_price] as const)
  const byOwner = Map.groupBy([...prices, [last, subtract(ZERO, written)] as const], ([owner]) => owner)
  byOwner.delete(ADMIN_ACCOUNT)
  return [...byOwner].map(([owner, some]) => [owner, add(...some.map(([, price]) => price))] as const)
}

async function findCounters(store: Store, { user, day }: CustomerDay) {
  const items = (await store.getMany(partsOn(day, { user }))).filter((item) => item !== undefined)
  return { ...countedIn(items), isRecounted: items.some((item) => RECOUNTED in item) }
}

const isSame = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other)
