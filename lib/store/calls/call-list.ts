import { pMapIterable } from 'p-map'
import type { Scope } from '#lib/domain/accounts/scope.ts'
import { ALL_TIME, type Period } from '#lib/domain/calendar.ts'
import { ascending } from '#lib/domain/order.ts'
import type { Item } from '#lib/store/items.ts'
import { merged, openLists, readAhead } from '#lib/store/merge.ts'
import type { Query } from '#lib/store/requests/query.ts'
import type { Store } from '#lib/store/store.ts'
import { type Call, callsOfOwnerOn, callsOfUserOn, readCall } from './call.ts'
import { type DayOfCalls, type Days, listDaysOfCalls } from './call-stats.ts'

/** The days on which there are calls of some scopes, and where these are. */
export interface CallDay {
  readonly day: string
  /** All calls of the day, whatever part of it is asked for. */
  readonly calls: number
  readonly queries: (period: Period) => Query[]
}

/**
 * The days of a stretch that have calls of any of the scopes, ascending; one round trip. What several scopes have in
 * common counts several times: ask for scopes that have nothing in common.
 */
export async function listCallDays(store: Store, scopes: readonly Scope[], days: Days): Promise<CallDay[]> {
  const found = await Promise.all(scopes.map((scope) => daysOf(store, scope, days)))
  const byDay = new Map<string, CallDay>()
  for (const one of found.flat()) {
    const other = byDay.get(one.day)
    byDay.set(one.day, other ? bothOf(other, one) : one)
  }
  return [...byDay.values()].sort((one, other) => ascending(one.day, other.day))
}

const bothOf = (one: CallDay, other: CallDay): CallDay => ({
  day: one.day,
  calls: one.calls + other.calls,
  queries: (period) => [...one.queries(period), ...other.queries(period)],
})

async function daysOf(store: Store, scope: Scope, days: Days): Promise<CallDay[]> {
  const found = await listDaysOfCalls(store, scope, days)
  return found
    .filter(({ tally }) => tally.calls > 0)
    .map((one) => ({
      day: one.day,
      calls: one.tally.calls,
      queries: (period) => queriesOf(scope, one, period),
    }))
}

function queriesOf(scope: Scope, { day, owners }: DayOfCalls, period: Period): Query[] {
  if (scope === 'everyone') return [...owners].flatMap((owner) => callsOfOwnerOn(owner, day, period))
  return 'user' in scope ? callsOfUserOn(scope.user, day, period) : callsOfOwnerOn(scope.owner, day, period)
}

/** Roughly how many calls are in memory at once. */
const CALLS_AT_HAND = 3000
const QUERIES_AT_ONCE = 16
const DAYS_AHEAD = 8

/** A full page of DynamoDB, of calls as they usually are, holds no more. */
const LARGEST_PAGE = 2000

/** Fewer would pay for more requests than for calls. */
const SMALLEST_PAGE = 25

/** The calls of these days in a period, ascending by time, then unique id, batch by batch; the next ones are on their way. */
export const listCalls = (store: Store, days: readonly CallDay[], period: Period): AsyncGenerator<Call[]> =>
  inOrder(store, { days, period, placeOf: (item) => String(item['GSI1SK']) })

/** All calls of these days, the newest first, batch by batch; the next ones are on their way. */
export const listNewestCalls = (store: Store, days: readonly CallDay[]): AsyncGenerator<Call[]> =>
  inOrder(store, {
    days: days.toReversed(),
    period: ALL_TIME,
    newestFirst: true,
    placeOf: (item) => -Number(item['calldate']),
  })

interface Order {
  readonly days: readonly CallDay[]
  readonly period: Period
  readonly newestFirst?: boolean
  /** As the sort key of both indexes has it: by time, then unique id. */
  readonly placeOf: (item: Item) => string | number
}

async function* inOrder(
  store: Store,
  { days, period, newestFirst = false, placeOf }: Order,
): AsyncGenerator<Call[]> {
  const widest = Math.max(1, ...days.map(({ queries }) => queries(period).length))
  const ahead = Math.max(1, Math.min(days.length, DAYS_AHEAD, Math.floor(QUERIES_AT_ONCE / widest)))
  const pageSize = Math.floor(CALLS_AT_HAND / (2 * ahead * widest))
  const limits = { pageSize: Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, pageSize)), newestFirst }
  const open = ({ queries }: CallDay) =>
    openLists(queries(period).map((query) => readAhead(store.pages({ ...query, ...limits }))))
  for await (const sources of pMapIterable(days, open, { concurrency: ahead, backpressure: ahead })) {
    for await (const items of merged(sources, placeOf)) yield items.map(readCall)
  }
}
