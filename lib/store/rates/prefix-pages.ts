import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as v from 'valibot'
import type { Item } from '#lib/store/items.ts'
import { type Key, keyForm } from '#lib/store/keys.ts'

// Keys

/** A page of a list, whose partition has a name of its own. */
export const pageKey = keyForm('<partition>', '<first_prefix>')

/**
 * Sorted lines on immutable pages, like the leaves of a B-tree. A line begins with its prefix and a tab. All lines of a
 * prefix are on one page, and a page opens with the lines of the stored prefixes that its first own one extends: so the
 * last page that begins at or before a number holds every line whose prefix is a leading part of that number.
 */
export interface Page {
  readonly first: string
  /** The first prefix of the next page; blank on the last one. */
  readonly next: string
  /** How many of the lines are those of prefixes on earlier pages. */
  readonly inherited: number
  /** They are unpacked each time they are read. */
  readonly lines: readonly string[]
}

/** A page as it is stored. */
type StoredPage = Key & { readonly next: string; readonly inherited: number; readonly packed: Uint8Array }

export interface PackedPage {
  readonly item: StoredPage
  /** Its own lines. */
  readonly rows: number
}

/** Compressed. With keys and names an item stays under 8 KB: one unit to read, eventually consistent. */
const MOST_BYTES = 7500

/** Where the search for more lines that fit ends. */
const ENOUGH_BYTES = 6900

const MOST_ATTEMPTS = 6

export const prefixOfLine = (line: string): string => line.slice(0, line.indexOf('\t'))

/** The lines, which must be sorted, as the items of a partition. */
export function* packPages(partition: string, sorted: Iterable<string>): Generator<PackedPage> {
  const window = createWindow(sorted)
  const ancestors = createAncestors()
  let bytesOfLine = GUESSED_BYTES_OF_LINE
  for (let lines = window.fill(); lines.length > 0; lines = window.fill()) {
    const first = prefixOfLine(lines[0] ?? '')
    const inherited = ancestors.of(first)
    const { end, packed } = fill(lines, { inherited, bytesOfLine })
    bytesOfLine = packed.length / (end + inherited.length)
    ancestors.passed(lines.slice(0, end))
    const next = prefixOfLine(lines[end] ?? window.ahead())
    const item = { ...pageKey(partition, first), next, inherited: inherited.length, packed }
    yield { item, rows: end }
    window.drop(end)
  }
}

const GUESSED_BYTES_OF_LINE = 12

/** A page never holds more: reading it costs time, however well its lines compress. */
const MOST_LINES = 5000

/** The next lines, up to a few thousand; all those of a prefix or none. */
function createWindow(sorted: Iterable<string>) {
  const source = sorted[Symbol.iterator]()
  let next = source.next()
  let held: string[] = []
  const belongsTo = (line: string): boolean =>
    held.length < MOST_LINES || prefixOfLine(line) === prefixOfLine(held.at(-1) ?? '')
  return {
    fill: (): readonly string[] => {
      while (!next.done && belongsTo(next.value)) {
        held.push(next.value)
        next = source.next()
      }
      return held
    },
    /** The line after them. */
    ahead: (): string => (next.done ? '' : next.value),
    drop: (count: number) => {
      held = held.slice(count)
    },
  }
}

interface Filling {
  readonly inherited: readonly string[]
  readonly bytesOfLine: number
}

interface Filled {
  readonly end: number
  readonly packed: Uint8Array
}

/** As many lines as fit; at least all those of one prefix. */
function fill(lines: readonly string[], { inherited, bytesOfLine }: Filling): Filled {
  const packTo = (end: number): Filled => ({ end, packed: pack([...inherited, ...lines.slice(0, end)]) })
  const least = endOfPrefix(lines, 0)
  let range: EndRange = { low: least, high: lines.length }
  let wanted = TARGET_BYTES / bytesOfLine
  let best: Filled | undefined
  for (let attempt = 0; attempt < MOST_ATTEMPTS && range.low <= range.high; attempt += 1) {
    const tried = packTo(within(range, startOfPrefix(lines, Math.floor(wanted))))
    const { end, packed } = tried
    if (packed.length <= MOST_BYTES) best = tried
    if (isFull(tried, range)) break
    range = narrowed(lines, range, tried)
    wanted = (end * TARGET_BYTES) / packed.length
  }
  return best ?? packTo(least)
}

/** Where the page may end; both are ends of a prefix. */
interface EndRange {
  readonly low: number
  readonly high: number
}

/** What fits may be more, what does not must be less: by a prefix at least. */
const narrowed = (lines: readonly string[], range: EndRange, { end, packed }: Filled): EndRange =>
  packed.length <= MOST_BYTES
    ? { ...range, low: endOfPrefix(lines, end) }
    : { ...range, high: startOfPrefix(lines, end - 1) }

const within = ({ low, high }: EndRange, end: number): number => Math.min(Math.max(end, low), high)

const isFull = ({ end, packed }: Filled, { high }: EndRange): boolean =>
  packed.length <= MOST_BYTES && (packed.length >= ENOUGH_BYTES || end === high)

const TARGET_BYTES = (MOST_BYTES + ENOUGH_BYTES) / 2

/** The position after the last line of the prefix that the line at this position has. */
function endOfPrefix(lines: readonly string[], position: number): number {
  if (position >= lines.length) return lines.length
  const prefix = prefixOfLine(lines[position] ?? '')
  let end = position + 1
  while (end < lines.length && prefixOfLine(lines[end] ?? '') === prefix) end += 1
  return end
}

/** The position of the first line of the prefix that the line at this position has. */
function startOfPrefix(lines: readonly string[], position: number): number {
  if (position >= lines.length) return lines.length
  const prefix = prefixOfLine(lines[position] ?? '')
  let start = position
  while (start > 0 && prefixOfLine(lines[start - 1] ?? '') === prefix) start -= 1
  return start
}

/** The lines of the prefixes that come before a position and may be leading parts of what follows. */
function createAncestors() {
  let open: { prefix: string; lines: string[] }[] = []
  const leadTo = (prefix: string) => {
    open = open.filter((ancestor) => prefix.startsWith(ancestor.prefix))
  }
  return {
    of: (first: string): string[] => {
      leadTo(first)
      return open.flatMap(({ lines }) => lines)
    },
    passed: (lines: readonly string[]) => {
      for (const line of lines) {
        const prefix = prefixOfLine(line)
        if (open.at(-1)?.prefix !== prefix) {
          leadTo(prefix)
          open.push({ prefix, lines: [] })
        }
        open.at(-1)?.lines.push(line)
      }
    },
  }
}

const pack = (lines: readonly string[]): Uint8Array => deflateRawSync(lines.join('\n'), { level: 6 })

const pageSchema = v.object({
  SK: v.string(),
  next: v.string(),
  inherited: v.number(),
  packed: v.instance(Uint8Array),
})

export function readPage(item: Item): Page {
  const { SK, next, inherited, packed } = v.parse(pageSchema, item)
  return {
    first: SK,
    next,
    inherited,
    get lines() {
      return inflateRawSync(packed).toString().split('\n')
    },
  }
}

/** The page's own lines. */
export const ownLines = ({ lines, inherited }: Page): readonly string[] => lines.slice(inherited)
