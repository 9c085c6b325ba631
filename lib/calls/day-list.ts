import { DAY_SECONDS, type Period } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import type { Item } from '#lib/table/items.ts'
import { betweenMoments, keyForm } from '#lib/table/keys.ts'
import { merged, openLists } from '#lib/table/merge.ts'
import type { Store } from '#lib/table/store.ts'
/**
 * Keys of lists of any length, by day of UTC. Days of the installation would move with its time zone. Each
 * day with records has a counter, so that a query skips all other days.
 */
export const dayListKeys = {
  record: keyForm('<list>#<day>', '<moment>#<place>'),
  counter: keyForm('<list>#DAYS', '<day>'),
}

/** `YYYY-MM-DD`, the day of UTC of a moment in Unix seconds. */
export const dayOfUtc = (moment: number): string => new Date(moment * 1000).toISOString().slice(0, 10)

/** A day of UTC on which a list has records. */
interface CountedDay {
  readonly day: string
  readonly records: number
}

/** The records of a period in the order of time, page by page. */
export interface DayListing<R> {
  /** An estimate of their number: a day that is only partly in the period counts for that part. */
  readonly about: number
  readonly pages: AsyncGenerator<R[]>
}

/** The name of a list, and the reader of its records. */
interface DayList<R> {
  readonly list: string
  readonly read: (item: Item) => R
}

/**
 * Reads the counters in one round trip, and then only the days that have records, however long the period.
 * Reads are eventual: a record may appear a moment after it was stored.
 */
export async function listDays<R>(
  store: Store,
  { list, read }: DayList<R>,
  period: Period,
): Promise<DayListing<R>> {
  const days = period.from <= period.till ? await countedDays(store, list, period) : []
  const about = days.reduce((sum, day) => sum + day.records * partWithin(day, period), 0)
  return { about: Math.ceil(about), pages: pagesOf(store, { list, read }, days, period) }
}

async function countedDays(store: Store, list: string, { from, till }: Period): Promise<CountedDay[]> {
  const between = [dayOfUtc(from), dayOfUtc(till)] as const
  const counters = await store.list({
    partition: dayListKeys.counter.partition(list),
    between,
    eventual: true,
  })
  return counters
    .map(({ SK, records }) => ({ day: String(SK), records: Number(records) }))
    .filter(({ records }) => records > 0)
}

function partWithin({ day }: CountedDay, { from, till }: Period): number {
  const start = Date.parse(day) / 1000
  const seconds = Math.min(till + 1, start + DAY_SECONDS) - Math.max(from, start)
  return seconds / DAY_SECONDS
}

/** Queries at the same time: a month takes a few round trips, and memory holds a page of each day. */
const DAYS_AT_ONCE = 8
const RECORDS_IN_ONE_PAGE = 1000

async function* pagesOf<R>(
  store: Store,
  { list, read }: DayList<R>,
  days: readonly CountedDay[],
  period: Period,
): AsyncGenerator<R[]> {
  const query = {
    between: betweenMoments(period.from, period.till),
    pageSize: RECORDS_IN_ONE_PAGE,
    eventual: true,
    rowOnly: true,
  }
  for (const someDays of slices(days, DAYS_AT_ONCE)) {
    const partitions = someDays.map(({ day }) => dayListKeys.record.partition(list, day))
    const opened = await openLists(partitions.map((partition) => store.pages({ ...query, partition })))
    // Lists with equal sort keys follow one another, in the order of the days.
    for await (const page of merged(opened, () => '')) yield page.map(read)
  }
}
