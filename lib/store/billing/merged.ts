import pMap from 'p-map'

interface Identified {
  readonly id: number
}

/** A list of which some pages were read; `page` is what nobody has got yet. */
interface Source<T> {
  readonly pages: AsyncGenerator<T[]>
  page: readonly T[]
  done: boolean
}

const LISTS_AT_ONCE = 16

/** Several lists, each ascending by id, as one; in memory is a page of each. */
export async function* mergedById<T extends Identified>(
  lists: readonly AsyncGenerator<T[]>[],
): AsyncGenerator<T[]> {
  let sources = lists.map((pages): Source<T> => ({ pages, page: [], done: false }))
  for (;;) {
    await pMap(sources.filter(isUsedUp), readOn, { concurrency: LISTS_AT_ONCE })
    sources = sources.filter(({ page }) => page.length > 0)
    if (sources.length === 0) return
    yield takeUpTo(sources, lowestEnd(sources))
  }
}

const isUsedUp = <T>({ page, done }: Source<T>): boolean => page.length === 0 && !done

async function readOn<T>(source: Source<T>): Promise<void> {
  const next = await source.pages.next()
  source.done = next.done === true
  source.page = next.done ? [] : next.value
}

/** Up to here nothing can come that has not been read. */
const lowestEnd = <T extends Identified>(sources: readonly Source<T>[]): number =>
  Math.min(...sources.map(({ page }) => page.at(-1)?.id ?? Number.POSITIVE_INFINITY))

function takeUpTo<T extends Identified>(sources: readonly Source<T>[], last: number): T[] {
  const taken = sources.flatMap((source) => {
    const split = source.page.findIndex(({ id }) => id > last)
    const own = split < 0 ? source.page : source.page.slice(0, split)
    source.page = source.page.slice(own.length)
    return own
  })
  return taken.sort((one, other) => one.id - other.id)
}
