import * as v from 'valibot'
import { integer } from '#lib/store/columns.ts'
import type { Item } from '#lib/store/items.ts'
import type { Key } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { ownLines, type Page, prefixOfLine, readPage } from './prefix-pages.ts'

/** A list of sorted lines that is only ever replaced as a whole; a header says which version of it counts. */
export interface PagedList {
  readonly header: Key
  pages(version: number): string
}

const whole = integer().schema

const versionSchema = v.object({
  version: whole,
  rows: whole,
  /** The length of the lines: an answer that prints them is a good deal longer. */
  bytes: whole,
  /** The first prefix; blank when there are no rows. */
  first: v.string(),
  /** The digest of the lines: by it the same rows are known when they come again. */
  digest: v.string(),
  /** ISO date-time. */
  imported_at: v.string(),
  /** From when till when it counted the last time, as ISO date-times; what counts has no end. */
  active_from: v.optional(v.string()),
  active_till: v.optional(v.string()),
})

export type Version = v.InferOutput<typeof versionSchema>

const headerSchema = v.object({
  /** Absent before the first import. */
  active: v.optional(whole),
  /** The one that counts, and the one that did before; the others stand beside the header. */
  versions: v.optional(v.array(versionSchema), []),
  last_version: v.optional(whole),
  /** Versions that nobody reads, whose pages may still be there: left by an interrupted import, or replaced. */
  leftovers: v.optional(v.array(whole), []),
})

export type VersionHeader = v.InferOutput<typeof headerSchema>

/** A version that stands beside the header. */
export const readVersion = (item: Item): Version => v.parse(versionSchema, item)

export const readVersions = (item: Item = {}): VersionHeader => v.parse(headerSchema, item)

export const activeVersion = ({ active, versions }: VersionHeader): Version | undefined =>
  versions.find(({ version }) => version === active)

export const previousVersion = ({ active, versions }: VersionHeader): Version | undefined =>
  versions.find(({ version }) => version !== active)

/** Every line whose prefix is a leading part of the digits: one round trip, one page. */
export async function findLines(
  store: Store,
  list: PagedList,
  { version, digits }: { version: Version | undefined; digits: string },
): Promise<readonly string[]> {
  if (version === undefined || digits < version.first || version.rows === 0) return []
  const page =
    (await pageFor(store, list.pages(version.version), { digits, eventual: true })) ??
    (await pageFor(store, list.pages(version.version), { digits, eventual: false }))
  return page?.lines.filter((line) => digits.startsWith(prefixOfLine(line))) ?? []
}

interface Wanted {
  readonly digits: string
  readonly eventual: boolean
}

/**
 * Pages are read eventually, at half the price. A page that should not be the last one before the digits shows that a
 * copy of the table does not have them all yet: then there is no answer.
 */
async function pageFor(store: Store, partition: string, { digits, eventual }: Wanted) {
  const query = { partition, between: ['0', digits], newestFirst: true, pageSize: 1, eventual } as const
  for await (const [item] of store.pages(query)) {
    const page = item && readPage(item)
    return page && (page.next === '' || digits < page.next) ? page : undefined
  }
  return undefined
}

/** Page by page in key order. Throws when pages are missing: nobody takes a part for the whole. */
export async function* pagesOf(
  store: Store,
  list: PagedList,
  version: Version | undefined,
): AsyncGenerator<readonly string[]> {
  for await (const page of readPages(store, list, version)) yield ownLines(page)
}

/** All lines of a version. They are kept packed, as they are stored: half a million rates take some 5 MB. */
export async function readLines(
  store: Store,
  list: PagedList,
  version: Version | undefined,
): Promise<Iterable<string>> {
  const pages: Page[] = []
  for await (const page of readPages(store, list, version)) pages.push(page)
  return {
    *[Symbol.iterator]() {
      for (const page of pages) yield* ownLines(page)
    },
  }
}

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
  if (expected !== '') throw new PagesMissing(expected)
}

function refuseGap({ first }: Page, expected: string): void {
  if (first !== expected) throw new PagesMissing(expected)
}

export class PagesMissing extends Error {
  constructor(prefix: string) {
    super(`The page from prefix ${prefix} is not there (any more)`)
    this.name = 'PagesMissing'
  }
}
