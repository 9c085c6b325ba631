import pMap, { pMapIterable } from 'p-map'
import type { Period } from '#lib/domain/calendar.ts'
import type { Item } from '#lib/store/items.ts'
import type { Query } from '#lib/store/query.ts'
import type { Store } from '#lib/store/store.ts'
import { type Call, callsOfOwnerOn, callsOfUserOn, readCall } from './call.ts'
import { type DayOfCalls, type Days, listDaysOfCalls, type Scope } from './call-stats.ts'

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
  return [...byDay.values()].sort((one, other) => Number(one.day > other.day) - Number(one.day < other.day))
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
  if (scope.kind === 'user') return callsOfUserOn(scope.id, day, period)
  const ids = scope.kind === 'owner' ? [scope.id] : [...owners]
  return ids.flatMap((id) => callsOfOwnerOn(id, day, period))
}

/** As many calls are in memory at once, about. */
const CALLS_AT_HAND = 3000
const QUERIES_AT_ONCE = 16
const DAYS_AHEAD = 8

/** A full page of DynamoDB, of calls as they usually are, holds no more. */
const LARGEST_PAGE = 2000

/** Fewer would pay for more requests than for calls. */
const SMALLEST_PAGE = 25

/** The calls of these days in a period, ascending by time, then unique id, batch by batch; the next ones are on their way. */
export async function* listCalls(
  store: Store,
  days: readonly CallDay[],
  period: Period,
): AsyncGenerator<Call[]> {
  const widest = Math.max(1, ...days.map(({ queries }) => queries(period).length))
  const ahead = Math.max(1, Math.min(days.length, DAYS_AHEAD, Math.floor(QUERIES_AT_ONCE / widest)))
  const pageSize = Math.floor(CALLS_AT_HAND / (2 * ahead * widest))
  const limits = { pageSize: Math.min(LARGEST_PAGE, Math.max(SMALLEST_PAGE, pageSize)) }
  const open = ({ queries }: CallDay) =>
    openDay(
      store,
      queries(period).map((query) => ({ ...query, ...limits })),
    )
  for await (const sources of pMapIterable(days, open, { concurrency: ahead, backpressure: ahead })) {
    yield* merged(sources)
  }
}

/** A partition of which some pages were read: `page` is what nobody has got yet, `coming` the one after it. */
interface Source {
  readonly pages: AsyncGenerator<Item[]>
  page: readonly Item[]
  coming: Promise<IteratorResult<Item[]>>
}

const openDay = (store: Store, queries: readonly Query[]): Promise<Source[]> =>
  pMap(queries, (query) => openSource(store, query), { concurrency: QUERIES_AT_ONCE })

async function openSource(store: Store, query: Query): Promise<Source> {
  const pages = store.pages(query)
  const source: Source = { pages, page: [], coming: pages.next() }
  await readOn(source)
  return source
}

/** Past empty pages, up to the next call or the end. */
async function readOn(source: Source): Promise<void> {
  while (source.page.length === 0) {
    const { value, done } = await source.coming
    if (done) return
    source.page = value
    source.coming = source.pages.next()
    source.coming.catch(() => {}) // Whoever waits for it gets the error; nobody may ever do.
  }
}

async function* merged(opened: readonly Source[]): AsyncGenerator<Call[]> {
  let sources = opened.filter(({ page }) => page.length > 0)
  while (sources.length > 0) {
    yield takeUpTo(sources, lowestEnd(sources)).map(readCall)
    await pMap(sources, readOn, { concurrency: QUERIES_AT_ONCE })
    sources = sources.filter(({ page }) => page.length > 0)
  }
}

/** In both indexes the sort key is time and unique id. */
const orderOf = (item: Item | undefined): string => String(item?.['GSI1SK'])

/** Up to here nothing can come that has not been read. */
const lowestEnd = (sources: readonly Source[]): string =>
  sources.map(({ page }) => orderOf(page.at(-1))).reduce((one, other) => (one < other ? one : other))

function takeUpTo(sources: readonly Source[], last: string): Item[] {
  const taken = sources.flatMap((source) => {
    const split = source.page.findIndex((item) => orderOf(item) > last)
    const own = split < 0 ? source.page : source.page.slice(0, split)
    source.page = source.page.slice(own.length)
    return own
  })
  return sources.length === 1 ? taken : taken.sort(byOrder)
}

const byOrder = (one: Item, other: Item): number =>
  Number(orderOf(one) > orderOf(other)) - Number(orderOf(one) < orderOf(other))
