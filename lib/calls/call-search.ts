import { pMapIterable } from 'p-map'
import { type Days, dayOf, type Period, periodOfDay } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import type { Scope } from '#lib/base/scope.ts'
import type { CallLists } from '#lib/base/shards.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { merged, openLists, readAhead } from '#lib/table/merge.ts'
import { QUERIES_AT_ONCE, type Query } from '#lib/table/requests/query.ts'
import type { Store } from '#lib/table/store.ts'
import { type Call, callsOfScopeOn, callsOfUserOn, listCallsWithId, readCall, sortKeyOfCall } from './call.ts'
import { isCallInScope } from './call-scope.ts'
import { listDaysOfCalls } from './counters/call-stats.ts'
import { listOwnersOfDays } from './counters/owners-of-days.ts'

/** Calls in time order, batch by batch. */
export interface FoundCalls {
  readonly batches: AsyncIterable<Call[]>
  /** Their number, from the counters of days; undefined if the period does not consist of whole days. */
  readonly total: number | undefined
}

/** The settings that say where calls and their counters are. Shards must be less than a second old. */
export type CallPlaces = CallLists & Partial<Pick<Settings, 'shards'>>

interface WantedCalls {
  /** The scopes, which must not overlap. */
  readonly of: readonly Scope[]
  readonly period: Period
  readonly settings: CallPlaces & Pick<Settings, 'Timezone'>
}

/** Searches a customer's day without a list of days; otherwise one round trip finds the days with calls. */
export async function searchCalls(store: Store, wanted: WantedCalls): Promise<FoundCalls> {
  const { of, period, settings } = wanted
  if (period.from > period.till) return { batches: inOneBatch([]), total: 0 }
  const { from, till } = daysIn(period, settings.Timezone)
  const [scope] = of.length === 1 && from === till ? of : []
  const user = scope && scope !== 'everyone' && 'user' in scope ? scope.user : undefined
  const [query, more] = user === undefined ? [] : callsOfUserOn(settings, user, from, period)
  return query && !more ? searchDay(store, wanted, query) : searchDays(store, wanted)
}

/** Reads the day's counters only if its calls exceed a page. Most days of a customer cost one request. */
async function searchDay(store: Store, wanted: WantedCalls, query: Query): Promise<FoundCalls> {
  const pages = pagesOf(store, { ...query, pageSize: MAX_PAGE_CALLS })
  const [first, second] = [await pages.next(), await pages.next()]
  if (second.done) return { batches: inOneBatch(first.value), total: undefined }
  const { total } = await searchDays(store, wanted)
  return { batches: continued([first.value, second.value], readAhead(pages)), total }
}

async function* continued<T>(first: readonly T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first
  yield* rest
}

/** Finds the days that have calls in one round trip. The calls are read when the batches are used. */
async function searchDays(store: Store, { of, period, settings }: WantedCalls): Promise<FoundCalls> {
  const zone = settings.Timezone
  const days = await listCallDays(store, of, daysIn(period, zone), settings)
  const [first, last] = [days.at(0), days.at(-1)]
  const whole =
    (!first || periodOfDay(first.day, zone).from >= period.from) &&
    (!last || periodOfDay(last.day, zone).till <= period.till)
  const total = days.reduce((sum, { calls }) => sum + calls, 0)
  return { batches: listCalls(store, days, period), total: whole ? total : undefined }
}

/** The calls with this unique id in these scopes. */
export async function searchCall(
  store: Store,
  uniqueid: string,
  { of, period }: Pick<WantedCalls, 'of' | 'period'>,
): Promise<FoundCalls> {
  const isWanted = (call: Call): boolean =>
    of.some((scope) => isCallInScope(scope, call)) && isDuring(period, call)
  const found = await listCallsWithId(store, uniqueid)
  return { batches: inOneBatch(found.filter(isWanted)), total: undefined }
}

const isDuring = ({ from, till }: Period, { calldate }: Call): boolean => from <= calldate && calldate <= till

const daysIn = ({ from, till }: Period, zone: string): Days => ({
  from: dayOf(from, zone),
  till: dayOf(till, zone),
})

async function* inOneBatch(calls: Call[]): AsyncGenerator<Call[]> {
  if (calls.length > 0) yield calls
}

/** A day with calls, and the queries that find them. */
export interface CallDay {
  readonly day: string
  /** The number of calls on the whole day. */
  readonly calls: number
  readonly queries: (period: Period) => Query[]
}

/** The days that have calls of any of the scopes, ascending. One round trip. The scopes must not overlap. */
export async function listCallDays(
  store: Store,
  scopes: readonly Scope[],
  days: Days,
  places: CallPlaces,
): Promise<CallDay[]> {
  const found = await Promise.all(scopes.map((scope) => daysOf(store, scope, days, places)))
  const byDay = Map.groupBy(found.flat(), ({ day }) => day)
  return Array.from(byDay, ([day, some]) => ({
    day,
    calls: some.reduce((sum, { calls }) => sum + calls, 0),
    queries: (period: Period) => some.flatMap(({ queries }) => queries(period)),
  })).sort((one, other) => ascending(one.day, other.day))
}

async function daysOf(store: Store, scope: Scope, days: Days, settings: CallPlaces): Promise<CallDay[]> {
  const [found, owners] = await Promise.all([
    listDaysOfCalls(store, scope, days, settings.shards),
    scope === 'everyone' ? listOwnersOfDays(store, days) : undefined,
  ])
  return found
    .filter(({ tally }) => tally.calls > 0)
    .map((one) => ({
      day: one.day,
      calls: one.tally.calls,
      queries: (period) =>
        callsOfScopeOn(scope, one.day, period, { owners: owners?.get(one.day), lists: settings }),
    }))
}

/** The approximate number of calls in memory, some megabytes. Larger pages need fewer requests. */
const CALLS_IN_MEMORY = 8000
const DAYS_AHEAD = 8

/** About the number of typical calls in a page of DynamoDB (1 MB). */
const MAX_PAGE_CALLS = 2000

/** Below this, requests cost more than calls. The first batch of a long day is such pages. */
const MIN_PAGE_CALLS = 25

/** With more calls, a day is long: its first page, read whole, would keep the first calls waiting. */
const MAX_CALLS_AT_ONCE = 500

/** The calls of these days in a period, ascending by time, then unique id, batch by batch. */
export const listCalls = (store: Store, days: readonly CallDay[], period: Period): AsyncGenerator<Call[]> =>
  callsInOrder(store, byPartition(days, period), sortKeyOfCall)

interface CountedQueries {
  readonly calls: number
  readonly queries: readonly Query[]
}

/** Days in one partition, as those of a customer's month, are one query. */
function byPartition(days: readonly CallDay[], period: Period): CountedQueries[] {
  const ofDays = days.map(({ day, calls, queries }) => ({ day, calls, queries: queries(period) }))
  const listOf = ({ day, queries: [one, another] }: (typeof ofDays)[number]) =>
    one && !another ? one.partition : day
  return Array.from(Map.groupBy(ofDays, listOf), ([partition, group]) => {
    const queries = group.flatMap((one) => one.queries)
    const calls = group.reduce((sum, one) => sum + one.calls, 0)
    const between = [queries.at(0)?.between?.[0] ?? '', queries.at(-1)?.between?.[1] ?? ''] as const
    return { calls, queries: group.length > 1 ? [{ ...queries[0], partition, between }] : queries }
  })
}

/**
 * Merges the queries of a day, while those of the next days are already running. The first day is read alone,
 * and a long one in small pages at first: the pages of other days would keep its first calls waiting.
 */
export async function* callsInOrder(
  store: Store,
  days: readonly CountedQueries[],
  placeOf: (call: Call) => string | number,
): AsyncGenerator<Call[]> {
  const widest = Math.max(1, ...days.map(({ queries }) => queries.length))
  const ahead = Math.max(1, Math.min(days.length, DAYS_AHEAD, Math.floor(QUERIES_AT_ONCE / widest)))
  const share = Math.floor(CALLS_IN_MEMORY / (2 * ahead * widest))
  const pageSize = Math.min(MAX_PAGE_CALLS, Math.max(MIN_PAGE_CALLS, share))
  const open = (queries: readonly Query[], firstPageSize = pageSize) => {
    const size = { pageSize, firstPageSize }
    return openLists(queries.map((query) => readAhead(pagesOf(store, { ...query, ...size }))))
  }
  const [first = { calls: 0, queries: [] }, ...others] = days
  const isLong = first.calls > MAX_CALLS_AT_ONCE
  yield* merged(await open(first.queries, isLong ? MIN_PAGE_CALLS : pageSize), placeOf)
  const opened = pMapIterable(others, ({ queries }) => open(queries), {
    concurrency: ahead,
    backpressure: ahead,
  })
  for await (const sources of opened) yield* merged(sources, placeOf)
}

async function* pagesOf(store: Store, query: Query): AsyncGenerator<Call[]> {
  for await (const page of store.pages(query)) yield page.map(readCall)
}
