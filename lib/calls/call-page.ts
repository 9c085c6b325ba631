import { ALL_TIME, type Days, type Period } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { ascending } from '#lib/base/collections.ts'
import type { Scope } from '#lib/base/scope.ts'
import { momentText } from '#lib/table/keys.ts'
import { merged, openLists } from '#lib/table/merge.ts'
import type { Query } from '#lib/table/requests/query.ts'
import type { Store } from '#lib/table/store.ts'
import { type Call, callsOfOwnersOn, readCall } from './call.ts'
import { type CallPlaces, listCallDays } from './call-search.ts'
import { newestOwnersOfDays } from './counters/owners-of-days.ts'

interface WantedPage {
  readonly of: readonly Scope[]
  readonly days: Days
  readonly settings: CallPlaces
  /** The place after which the page begins. */
  readonly after: string | undefined
  /** The page ends with this many calls, or when this many were read. */
  readonly count: number
  readonly mostRead: number
  /** The most days with calls that are read, half a unit each; without a limit if absent. */
  readonly mostDays?: number | undefined
  readonly matches: (call: Call) => boolean
}

/** A call's place in such a list. Calls of several switches may share a second and a unique id. */
const placeOf = ({
  calldate,
  uniqueid,
  source = '',
  source_part = '',
}: CallIdentity & Pick<Call, 'calldate'>): string =>
  `${momentText(calldate)}#${uniqueid} ${source} ${source_part}`

/** Whether a text from a client can be such a place. */
export const isCallPlace = (text: string): boolean => /^\d{12}#/.test(text)

/**
 * Reads a page of calls day by day, from the newest day on, and no day that it does not need. Lists of a day
 * are read in small pages, the one with the next call first. `read` counts calls that did not match, too;
 * `next` is the place of the last one, unless the list has ended.
 */
export async function newestCalls(store: Store, wanted: WantedPage) {
  const calls: Call[] = []
  let [read, last]: [number, Call | undefined] = [0, undefined]
  const counted = { days: 0 }
  for await (const call of callsOfDays(store, wanted, counted)) {
    read += 1
    last = call
    if (wanted.matches(call)) calls.push(call)
    if (calls.length === wanted.count || read === wanted.mostRead) return { calls, read, next: placeOf(call) }
  }
  return { calls, read, next: last && counted.days === wanted.mostDays ? placeOf(last) : undefined }
}

/** Opens days together while a page has room for their calls: a customer may have one a week. */
async function* callsOfDays(
  store: Store,
  wanted: WantedPage,
  counted: { days: number },
): AsyncGenerator<Call> {
  for await (const days of daysTogether(queriesByDay(store, wanted), wanted.count)) {
    counted.days += days.length
    const opened = days.map(({ queries }) => openDay(store, queries, wanted.after))
    // The error surfaces when the reader reaches the day.
    for (const day of opened) day.catch(() => undefined)
    for (const day of opened) for await (const calls of merged(await day, placeOf, descending)) yield* calls
  }
}

/** The lists of a day; `calls` is the number of calls on it if that is known. */
interface DayLists {
  readonly queries: readonly Query[]
  readonly calls: number
}

async function* daysTogether(days: AsyncIterable<DayLists>, count: number): AsyncGenerator<DayLists[]> {
  let [together, calls]: [DayLists[], number] = [[], 0]
  for await (const day of days) {
    together.push(day)
    calls += day.calls
    if (calls < count) continue
    yield together
    ;[together, calls] = [[], 0]
  }
  yield together
}

/** A page after a place reads what is left of its days: the caller leaves out later days. */
async function* queriesByDay(
  store: Store,
  { of, days, after, settings, mostDays }: WantedPage,
): AsyncGenerator<DayLists> {
  const period: Period = {
    from: ALL_TIME.from,
    till: after === undefined ? ALL_TIME.till : Number.parseInt(after, 10),
  }
  if (days.from > days.till) return
  if (of.includes('everyone')) return yield* daysOfEveryone(store, days, period)
  const counted = await listCallDays(store, of, days, settings)
  for (const { calls, queries } of counted.toReversed().slice(0, mostDays))
    yield { calls, queries: queries(period) }
}

/** These calls are not counted by day: the counters of everyone cost more than a day of calls. */
const UNKNOWN = Number.POSITIVE_INFINITY

async function* daysOfEveryone(store: Store, days: Days, period: Period): AsyncGenerator<DayLists> {
  for await (const [day, shards] of newestOwnersOfDays(store, days))
    yield { queries: callsOfOwnersOn(shards, day, period), calls: UNKNOWN }
}

/** A page of a list costs at least half a unit, in which about a dozen calls fit. */
const CALLS_IN_ONE_READ = 26

const descending = (one: string | number, other: string | number): number => ascending(other, one)

const openDay = (store: Store, queries: readonly Query[], after = '~') =>
  openLists(queries.map((query) => pagesOf(store, query, after)))

async function* pagesOf(store: Store, query: Query, after: string): AsyncGenerator<Call[]> {
  for await (const page of store.pages({ ...query, newestFirst: true, pageSize: CALLS_IN_ONE_READ }))
    yield page
      .map(readCall)
      .filter((call) => placeOf(call) < after)
      .sort((one, other) => descending(placeOf(one), placeOf(other)))
}
