import type { Store } from '#lib/table/store.ts'
import { prefixOfLine } from './prefix-pages.ts'
import { findPage, hasLinesFor, hasPlaceFor, type PagedList, type Version } from './prefix-versions.ts'
import { numberPrefixes } from './rating.ts'

/** About 15 MB. */
const MAX_REMEMBERED_LINES = 200_000

/** A page, ready for many lookups. */
interface KnownPage {
  readonly first: string
  readonly next: string
  readonly lines: ReadonlyMap<string, readonly string[]>
}

/**
 * Finds the lines of many numbers: those whose prefix is a leading part of the digits. Pages are remembered,
 * because a version never changes. With n known pages of a version, at most n + 1 requests are under way: a
 * small list is rarely asked for a page twice, a large one soon for many at once.
 */
export function createPageMemory(store: Store) {
  let lookups = new Map<string, ReturnType<typeof rememberPages>>()
  let lines = 0
  const note = (count: number) => {
    lines += count
    if (lines <= MAX_REMEMBERED_LINES) return
    lookups = new Map()
    lines = 0
  }
  return async (
    list: PagedList,
    version: Version | undefined,
    digits: string,
  ): Promise<readonly string[]> => {
    if (!hasLinesFor(version, digits)) return []
    const partition = list.pages(version.version)
    const lookup = lookups.get(partition) ?? rememberPages(store, partition, note)
    lookups.set(partition, lookup)
    const page = await lookup(digits)
    return numberPrefixes(digits).flatMap((prefix) => page?.lines.get(prefix) ?? [])
  }
}

function rememberPages(store: Store, partition: string, note: (lines: number) => void) {
  const known: KnownPage[] = []
  const underWay = new Set<Promise<unknown>>()
  const knownFor = (digits: string) => known.find((page) => hasPlaceFor(page, digits))

  const read = async (digits: string): Promise<KnownPage | undefined> => {
    const page = await findPage(store, partition, digits)
    if (!page) return undefined
    const { first, next, lines } = page
    const remembered = { first, next, lines: Map.groupBy(lines, prefixOfLine) }
    known.push(remembered)
    note(lines.length)
    return remembered
  }

  return async (digits: string): Promise<KnownPage | undefined> => {
    let page = knownFor(digits)
    while (!page && underWay.size > known.length) {
      await Promise.race(underWay)
      page = knownFor(digits)
    }
    if (page) return page
    const reading = read(digits)
    const settled = reading.catch(() => undefined)
    underWay.add(settled)
    try {
      return await reading
    } finally {
      underWay.delete(settled)
    }
  }
}
