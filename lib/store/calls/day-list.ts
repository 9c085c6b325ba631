import { DAY_SECONDS, type Period } from '#lib/domain/calendar.ts'
import type { Item } from '#lib/store/items.ts'
import { betweenMoments, keyForm, momentPlace } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { ROW } from '#lib/store/table.ts'

// Keys

const dayCounter = keyForm('<list>#DAYS', '<day>')

/**
 * Lists of any length, by day of UTC: days of the installation would move with its time zone. A day that has records has a
 * counter, so that a period asks for no other day.
 */
export const dayListKeys = {
  /** `YYYY-MM-DD` of a moment in Unix seconds. */
  day: (moment: number): string => new Date(moment * 1000).toISOString().slice(0, 10),
  of: (list: string, day: string): string => `${list}#${day}`,
  place: momentPlace,
  between: betweenMoments,
  counters: (list: string): string => `${list}#DAYS`,
  counter: dayCounter,
}

/** Tells the packed rows of a list from all other items: counters have none. */
export const isInList =
  (list: string) =>
  (item: Item): boolean =>
    ROW in item && String(item['PK']).startsWith(dayListKeys.of(list, ''))

/** A day of UTC on which a list has records. */
interface CountedDay {
  readonly day: string
  readonly records: number
}

/** The records of a period, in the order of time, page by page. */
export interface DayListing<R> {
  /** Roughly how many there are: of a day that lies in the period only in part, that part is counted. */
  readonly about: number
  readonly pages: AsyncGenerator<R[]>
}

/** The name of a list, and how its records are read. */
interface DayList<R> {
  readonly list: string
  readonly read: (item: Item) => R
}

// Access patterns

/**
 * One round trip for the counters, then only the days that have records, whatever the length of the period. The records
 * are read eventually: one may appear a moment after it was stored.
 */
export async function listDays<R>(
  store: Store,
  { list, read }: DayList<R>,
  period: Period,
): Promise<DayListing<R>> {
  const days = period.from <= period.till ? await countedDays(store, list, period) : []
  const about = days.reduce((sum, day) => sum + day.records * partWithin(day, period), 0)
  return { about: Math.ceil(about), pages: pagesOf(store, { list, read, days, period }) }
}

async function countedDays(store: Store, list: string, { from, till }: Period): Promise<CountedDay[]> {
  const between = [dayListKeys.day(from), dayListKeys.day(till)] as const
  const counters = await store.list({ partition: dayListKeys.counters(list), between, eventual: true })
  return counters
    .map(({ SK, records }) => ({ day: String(SK), records: Number(records) }))
    .filter(({ records }) => records > 0)
}

function partWithin({ day }: CountedDay, { from, till }: Period): number {
  const start = Date.parse(day) / 1000
  const seconds = Math.min(till + 1, start + DAY_SECONDS) - Math.max(from, start)
  return seconds / DAY_SECONDS
}

/** So many days are asked for together: a month is a few round trips, and memory holds a page of each. */
const DAYS_AT_ONCE = 8
const RECORDS_OF_A_PAGE = 1000

interface Listing<R> extends DayList<R> {
  readonly days: readonly CountedDay[]
  readonly period: Period
}

async function* pagesOf<R>(store: Store, { list, read, days, period }: Listing<R>): AsyncGenerator<R[]> {
  const between = dayListKeys.between(period.from, period.till)
  for (let start = 0; start < days.length; start += DAYS_AT_ONCE) {
    const someDays = days.slice(start, start + DAYS_AT_ONCE)
    const readings = someDays.map(({ day }) =>
      startedAtOnce(
        store.pages({
          partition: dayListKeys.of(list, day),
          between,
          pageSize: RECORDS_OF_A_PAGE,
          eventual: true,
          rowOnly: true,
        }),
      ),
    )
    for (const reading of readings) for await (const page of reading) yield page.map(read)
  }
}

/** The first page is on its way before anybody asks; its failure is told to the one who does. */
function startedAtOnce<T>(pages: AsyncGenerator<T>): AsyncGenerator<T> {
  const first = pages.next()
  first.catch(() => undefined)
  return continued(first, pages)
}

async function* continued<T>(first: Promise<IteratorResult<T>>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  const { value, done } = await first
  if (done) return
  yield value
  yield* rest
}
