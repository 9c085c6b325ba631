import pMap from 'p-map'
import { ascending } from '#lib/domain/order.ts'

/** What lists are ordered by. */
type Place = string | number

/** A list of which some pages were read; `page` is what nobody has got yet. */
export interface Source<T> {
  readonly pages: AsyncGenerator<T[]>
  page: readonly T[]
}

const LISTS_AT_ONCE = 16

/** Opens lists by reading the first page of each. */
export async function openLists<T>(lists: readonly AsyncGenerator<T[]>[]): Promise<Source<T>[]> {
  const sources = lists.map((pages): Source<T> => ({ pages, page: [] }))
  await readOn(sources)
  return sources
}

/** Opened lists, each ascending by its rows' places, as one; in memory is a page of each. */
export async function* merged<T>(
  opened: readonly Source<T>[],
  placeOf: (row: T) => Place,
): AsyncGenerator<T[]> {
  let sources = opened.filter(hasMore)
  while (sources.length > 0) {
    yield takeUpTo(sources, lowestEnd(sources, placeOf), placeOf)
    await readOn(sources)
    sources = sources.filter(hasMore)
  }
}

/** Pages of which the next one is on its way while the one before it is used. */
export async function* readAhead<T>(pages: AsyncGenerator<T[]>): AsyncGenerator<T[]> {
  let coming = pages.next()
  for (;;) {
    const { value, done } = await coming
    if (done) return
    coming = pages.next()
    coming.catch(() => undefined) // Whoever waits for it gets the error; perhaps nobody ever does.
    yield value
  }
}

const hasMore = <T>({ page }: Source<T>): boolean => page.length > 0

const readOn = <T>(sources: readonly Source<T>[]): Promise<unknown> =>
  pMap(sources, toNextRow, { concurrency: LISTS_AT_ONCE })

/** Past empty pages, up to the next row or the end. */
async function toNextRow<T>(source: Source<T>): Promise<void> {
  while (!hasMore(source)) {
    const { value, done } = await source.pages.next()
    if (done) return
    source.page = value
  }
}

/** Up to here nothing can come that has not been read. */
const lowestEnd = <T>(sources: readonly Source<T>[], placeOf: (row: T) => Place): Place =>
  sources
    .flatMap(({ page }) => page.slice(-1).map(placeOf))
    .reduce((one, other) => (one < other ? one : other))

function takeUpTo<T>(sources: readonly Source<T>[], last: Place, placeOf: (row: T) => Place): T[] {
  const taken = sources.flatMap((source) => {
    const split = source.page.findIndex((row) => placeOf(row) > last)
    const own = split < 0 ? source.page : source.page.slice(0, split)
    source.page = source.page.slice(own.length)
    return own
  })
  if (sources.length === 1) return taken
  return taken.sort((one, other) => ascending(placeOf(one), placeOf(other)))
}
