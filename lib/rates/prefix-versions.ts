import * as v from 'valibot'
import { createMemory } from '#lib/settings/recent-items.ts'
import { integer } from '#lib/table/columns.ts'
import type { Item } from '#lib/table/items.ts'
import type { Key } from '#lib/table/keys.ts'
import { TooMuchContention } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { indexByPrefix, type PrefixIndex } from './numbers/prefix-index.ts'
import { linesOfPrefix, ownLines, type Page, prefixOfLine, readPage } from './prefix-pages.ts'
import { MAX_PREFIX_DIGITS } from './rating.ts'

/** A list of sorted lines that is only replaced as a whole. Its header names the active version. */
export interface PagedList {
  readonly header: Key
  pages(version: number): string
  /** A second list of the same versions, to which a line may refer: the origins of a tariff. */
  readonly beside?: { pages(version: number): string; refersTo(line: string): boolean }
}

/** The partitions of a version. */
export const partitionsOf = ({ pages, beside }: PagedList, version: number): string[] => [
  pages(version),
  ...(beside ? [beside.pages(version)] : []),
]

const whole = integer().schema

const versionSchema = v.object({
  version: whole,
  rows: whole,
  /** The length of the lines. A printed answer is much longer. */
  bytes: whole,
  /** The first prefix; blank without rows. */
  first: v.string(),
  /** The digest of the lines, which recognises a repeated import. */
  digest: v.string(),
  /** ISO date-time. */
  imported_at: v.string(),
  /** The second list of the version, if it has lines or a line of the first list refers to it. */
  origins: v.optional(v.object({ rows: whole, first: v.string(), digest: v.string() })),
  /** The last time it was active, as ISO date-times. The active version has no `active_till`. */
  active_from: v.optional(v.string()),
  active_till: v.optional(v.string()),
})

export type Version = v.InferOutput<typeof versionSchema>

const headerSchema = v.object({
  /** Absent before the first import. */
  active: v.optional(whole),
  /** The active and the previous version. All others are items of their own. */
  versions: v.optional(v.array(versionSchema), []),
  last_version: v.optional(whole),
  /** Versions that are not read but may still have pages: from an interrupted import, or replaced. */
  leftovers: v.optional(v.array(whole), []),
})

export type VersionHeader = v.InferOutput<typeof headerSchema>

/** Reads a version that is not in the header. */
export const readVersion = (item: Item): Version => v.parse(versionSchema, item)

export const readVersions = (item: Item = {}): VersionHeader => v.parse(headerSchema, item)

export const activeVersion = ({ active, versions }: VersionHeader): Version | undefined =>
  versions.find(({ version }) => version === active)

export const previousVersion = ({ active, versions }: VersionHeader): Version | undefined =>
  versions.find(({ version }) => version !== active)

/** Finds the last page of a partition at or before the digits. */
export type PageFinder = (store: Store, partition: string, digits: string) => Promise<Page | undefined>

/** A list of one version, and how its pages are found. */
export interface ReadVersion {
  readonly version: Version | undefined
  readonly find?: PageFinder | undefined
}

/** All lines whose prefix is a leading part of the digits. Reads one page. */
export async function findLines(
  store: Store,
  list: PagedList,
  { version, find = findPage }: ReadVersion,
  digits: string,
): Promise<readonly string[]> {
  if (!hasLinesFor(version, digits)) return []
  const { lines = [] } = (await find(store, list.pages(version.version), digits)) ?? {}
  const lengths = Array.from(digits.slice(0, MAX_PREFIX_DIGITS), (_, index) => index + 1)
  return lengths.flatMap((length) => linesOfPrefix(lines, digits.slice(0, length)))
}

/** Whether a page of the version is at or before the digits. */
const hasLinesFor = (version: Version | undefined, digits: string): version is Version =>
  version !== undefined && digits >= version.first && version.rows > 0

/** The last page at or before the digits. It is read a second time if a replica was out of date. */
export const findPage: PageFinder = async (store, partition, digits) =>
  (await pageFor(store, partition, digits, true)) ?? (await pageFor(store, partition, digits, false))

/** 4 MB at most, since a page has 8 KB. */
const MAX_REMEMBERED_PAGES = 500

/** To unpack a page takes a fifth of a request. About 9 MB. */
const MAX_UNPACKED_PAGES = 128

/**
 * Remembers pages, those asked for last unpacked: a page never changes, and its partition is never written
 * again. Each reader of the memory may read the other pages in its own way.
 */
export function rememberingPages(): (read?: PageFinder) => PageFinder {
  let pages = new Map<string, Map<string, Page>>()
  let count = 0
  const unpacked = createMemory<Page, readonly string[]>(Number.POSITIVE_INFINITY, MAX_UNPACKED_PAGES)
  const linesOf = (page: Page): readonly string[] => {
    const lines = unpacked.find(page, 0) ?? page.lines
    unpacked.keep(page, lines, 0)
    return lines
  }
  const remember = (partition: string, found: Page): Page => {
    const { first, next, inherited } = found
    const page = {
      first,
      next,
      inherited,
      get lines() {
        return linesOf(found)
      },
    }
    if (count === MAX_REMEMBERED_PAGES) [pages, count] = [new Map(), 0]
    const known = pages.get(partition) ?? new Map<string, Page>()
    if (!known.has(page.first)) count += 1
    pages.set(partition, known.set(page.first, page))
    return page
  }
  const knownPage = (partition: string, digits: string): Page | undefined => {
    for (const page of pages.get(partition)?.values() ?? []) if (hasPlaceFor(page, digits)) return page
    return undefined
  }
  return (read = findPage) =>
    async (store, partition, digits) => {
      const known = knownPage(partition, digits)
      if (known) return known
      const page = await read(store, partition, digits)
      return page && remember(partition, page)
    }
}

/** About 15 MB. */
const MAX_REMEMBERED_LINES = 200_000

/** A page, ready for many lookups. */
interface KnownPage {
  readonly first: string
  readonly next: string
  readonly leading: PrefixIndex<string>
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
    return page?.leading(digits) ?? []
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
    const remembered = { first, next, leading: indexByPrefix(lines, prefixOfLine) }
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

/** Whether the lines of the digits are on this page. */
const hasPlaceFor = ({ first, next }: Pick<Page, 'first' | 'next'>, digits: string): boolean =>
  first <= digits && (next === '' || digits < next)

/**
 * The last page at or before the digits. An eventual read costs half. Returns undefined if the next page also
 * begins at or before the digits: then the replica that was read does not have all pages yet.
 */
async function pageFor(
  store: Store,
  partition: string,
  digits: string,
  eventual: boolean,
): Promise<Page | undefined> {
  const [item] = await store.firstPage({
    partition,
    between: ['0', digits.slice(0, MAX_PREFIX_DIGITS)],
    newestFirst: true,
    pageSize: 1,
    eventual,
  })
  const page = item && readPage(item)
  return page && hasPlaceFor(page, digits) ? page : undefined
}

/** The lines page by page, in their order. Throws TooMuchContention rather than yield a part of the list. */
export async function* pagesOf(
  store: Store,
  list: PagedList,
  version: Version | undefined,
): AsyncGenerator<readonly string[]> {
  for await (const page of readPages(store, list, version)) yield ownLines(page)
}

/** All lines of a version. Memory holds the packed pages: half a million rates take about 5 MB. */
export async function readLines(
  store: Store,
  list: PagedList,
  version: Version | undefined,
): Promise<Iterable<string>> {
  const pages = await Array.fromAsync(readPages(store, list, version))
  return {
    *[Symbol.iterator]() {
      for (const page of pages) yield* ownLines(page)
    },
  }
}

/** All lines of the second list of a version. */
export const linesBeside = async (
  store: Store,
  { header, beside }: PagedList,
  version: Version | undefined,
): Promise<Iterable<string>> =>
  beside && version?.origins
    ? readLines(store, { header, pages: beside.pages }, { ...version, ...version.origins })
    : []

async function* readPages(store: Store, list: PagedList, version: Version | undefined): AsyncGenerator<Page> {
  if (version === undefined || version.rows === 0) return
  let expected = version.first
  for await (const items of store.pages({ partition: list.pages(version.version), eventual: true })) {
    for (const page of items.map(readPage)) {
      refuseGap(page, expected)
      expected = page.next
      yield page
    }
  }
  if (expected !== '') throw pageMissing(expected)
}

function refuseGap({ first }: Page, expected: string): void {
  if (first !== expected) throw pageMissing(expected)
}

/** A page was replaced or removed while its list was read. */
const pageMissing = (prefix: string): TooMuchContention =>
  new TooMuchContention(`The page of prefix ${prefix} is missing: another import may have replaced it`)
