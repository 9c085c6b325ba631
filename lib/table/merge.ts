import { ascending } from '#lib/base/collections.ts'
import { findForEach } from './requests/query.ts'

/** Lists are in the order of this value. */
type SortKey = string | number

type Order = (one: SortKey, other: SortKey) => number

/** A list that is read page by page; `page` is the one that was read last. */
export interface Source<T> {
  readonly pages: AsyncGenerator<T[]>
  page: readonly T[]
}

/** Opens lists by reading the first page of each. */
export async function openLists<T>(lists: readonly AsyncGenerator<T[]>[]): Promise<Source<T>[]> {
  const sources = lists.map((pages): Source<T> => ({ pages, page: [] }))
  await findForEach(sources, readNextPage)
  return sources
}

/**
 * Merges opened lists, each in the order of the sort keys of its rows, into one; in memory is a page of each.
 * Only the list with the next row is touched, so that many lists cost a row little more than few. A batch
 * ends with a page of a list, and the next page of that list is read when the next batch is asked for.
 */
export async function* merged<T>(
  opened: readonly Source<T>[],
  sortKeyOf: (row: T) => SortKey,
  order: Order = ascending,
): AsyncGenerator<T[]> {
  const waiting: Head<T>[] = []
  for (const [turn, source] of opened.entries())
    enqueue(waiting, moved({ source, turn, sortKeyOf, order, index: 0 }, 0))
  let batch: T[] = []
  for (let head = waiting.pop(); head; head = waiting.pop()) {
    takeRun(batch, head, waiting.at(-1))
    if (head.sortKey === undefined) {
      yield batch
      batch = []
      await readNextPage(head.source)
      moved(head, 0)
    }
    enqueue(waiting, head)
  }
}

/** Pages of which the next one is on its way while the one before it is used. */
export async function* readAhead<T>(pages: AsyncGenerator<T[]>): AsyncGenerator<T[]> {
  let coming = pages.next()
  for (;;) {
    const { value, done } = await coming
    if (done) return
    coming = pages.next()
    coming.catch(() => undefined) // The error surfaces when the reader waits for the page.
    yield value
  }
}

/** Reads past empty pages, up to the next row or the end. */
async function readNextPage<T>(source: Source<T>): Promise<void> {
  source.page = []
  while (source.page.length === 0) {
    const { value, done } = await source.pages.next()
    if (done) return
    source.page = value
  }
}

/** The next row of a list. Its sort key is `undefined` when the page is used up. */
interface Head<T> {
  readonly source: Source<T>
  /** Equal rows keep the order in which their lists were opened. */
  readonly turn: number
  readonly sortKeyOf: (row: T) => SortKey
  readonly order: Order
  index: number
  sortKey?: SortKey | undefined
}

function moved<T>(head: Head<T>, index: number): Head<T> {
  const { page } = head.source
  head.index = index
  head.sortKey = index < page.length ? head.sortKeyOf(page[index] as T) : undefined
  return head
}

/** Takes the rows of a page that precede those of every other list. The last list needs no more sort keys. */
function takeRun<T>(batch: T[], head: Head<T>, next: Head<T> | undefined): void {
  if (!next) {
    for (const row of head.source.page.slice(head.index)) batch.push(row)
    head.sortKey = undefined
    return
  }
  do {
    batch.push(head.source.page[head.index] as T)
    moved(head, head.index + 1)
  } while (head.sortKey !== undefined && compare(head, next) < 0)
}

const compare = <T>(one: Head<T>, other: Head<T>): number =>
  one.order(one.sortKey ?? '', other.sortKey ?? '') || one.turn - other.turn

/** Puts a head among the others, whose first is the last in order. A list that has ended is left out. */
function enqueue<T>(waiting: Head<T>[], head: Head<T>): void {
  if (head.sortKey === undefined) return
  let [from, till] = [0, waiting.length]
  while (from < till) {
    const middle = (from + till) >> 1
    if (compare(head, waiting[middle] as Head<T>) < 0) from = middle + 1
    else till = middle
  }
  waiting.splice(from, 0, head)
}
