import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as v from 'valibot'
import type { Item } from '#lib/table/items.ts'
import { type Key, keyForm } from '#lib/table/keys.ts'

/** A page of a list. Each list names its partition. */
export const pageKey = keyForm('<list>', '<first_prefix>')

/**
 * Sorted lines on immutable pages, like the leaves of a B-tree. A line begins with its prefix and a tab; one
 * page has all lines of a prefix. A page begins with inherited lines, whose prefixes are leading parts of its
 * first prefix: so the last page at or before a number has every line that fits it.
 */
export interface Page {
  readonly first: string
  /** The first prefix of the next page; blank on the last one. */
  readonly next: string
  readonly inherited: number
  /** Unpacked at each access. */
  readonly lines: readonly string[]
}

export interface PackedPage {
  readonly item: Key & { readonly next: string; readonly inherited: number; readonly packed: Uint8Array }
  readonly rows: number
}

/** Compressed bytes. With keys and names an item stays under 8 KB, which one unit reads eventually. */
const MAX_BYTES = 7500

/** A page of this size is full enough. */
const ENOUGH_BYTES = 6900

const MAX_ATTEMPTS = 6

export const prefixOfLine = (line: string): string => line.slice(0, line.indexOf('\t'))

/** Those of sorted lines that have this prefix. */
export const linesOfPrefix = (lines: readonly string[], prefix: string): readonly string[] =>
  lines.slice(lowerBound(lines, `${prefix}\t`), lowerBound(lines, `${prefix}\n`))

/** The index of the first line that is not below a text. */
export function lowerBound(lines: readonly string[], text: string): number {
  let [low, high] = [0, lines.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((lines[middle] ?? '') < text) low = middle + 1
    else high = middle
  }
  return low
}

/** The lines, which must be sorted, as the items of a partition. */
export function* packPages(partition: string, sorted: Iterable<string>): Generator<PackedPage> {
  const window = createWindow(sorted)
  const ancestors = createAncestors()
  let bytesOfLine = GUESSED_BYTES_OF_LINE
  for (let lines = window.fill(); lines.length > 0; lines = window.fill()) {
    const first = prefixOfLine(lines[0] ?? '')
    const inherited = ancestors.of(first)
    const { end, packed } = fillPage(lines, inherited, bytesOfLine)
    bytesOfLine = packed.length / (end + inherited.length)
    ancestors.passed(lines.slice(0, end))
    const next = prefixOfLine(lines[end] ?? window.ahead())
    const item = { ...pageKey(partition, first), next, inherited: inherited.length, packed }
    yield { item, rows: end }
    window.drop(end)
  }
}

const GUESSED_BYTES_OF_LINE = 12

/** Limits the time to read a page, however well its lines compress. */
const MAX_LINES = 5000

/** A window over the next lines, up to MAX_LINES. It has all lines of a prefix or none. */
function createWindow(sorted: Iterable<string>) {
  const source = sorted[Symbol.iterator]()
  let next = source.next()
  let held: string[] = []
  const belongsTo = (line: string): boolean =>
    held.length < MAX_LINES || prefixOfLine(line) === prefixOfLine(held.at(-1) ?? '')
  return {
    fill: (): readonly string[] => {
      while (!next.done && belongsTo(next.value)) {
        held.push(next.value)
        next = source.next()
      }
      return held
    },
    /** The line after the window. */
    ahead: (): string => (next.done ? '' : next.value),
    drop: (count: number) => {
      held = held.slice(count)
    },
  }
}

interface Filled {
  readonly end: number
  readonly packed: Uint8Array
}

/** Packs as many lines as fit on a page, at least all lines of one prefix. */
function fillPage(lines: readonly string[], inherited: readonly string[], bytesOfLine: number): Filled {
  const packTo = (end: number): Filled => ({ end, packed: pack([...inherited, ...lines.slice(0, end)]) })
  const least = endOfPrefix(lines, 0)
  let range: EndRange = { low: least, high: lines.length }
  let wanted = TARGET_BYTES / bytesOfLine
  let best: Filled | undefined
  for (let attempt = 0; attempt < MAX_ATTEMPTS && range.low <= range.high; attempt += 1) {
    const tried = packTo(within(range, startOfPrefix(lines, Math.floor(wanted))))
    const { end, packed } = tried
    if (packed.length <= MAX_BYTES) best = tried
    if (isFull(tried, range)) break
    range = narrowed(lines, range, tried)
    wanted = (end * TARGET_BYTES) / packed.length
  }
  return best ?? packTo(least)
}

/** The indices where the page may end. Both are ends of a prefix. */
interface EndRange {
  readonly low: number
  readonly high: number
}

/** An attempt that fits moves the end at least a prefix later; one that does not, a prefix earlier. */
const narrowed = (lines: readonly string[], range: EndRange, { end, packed }: Filled): EndRange =>
  packed.length <= MAX_BYTES
    ? { ...range, low: endOfPrefix(lines, end) }
    : { ...range, high: startOfPrefix(lines, end - 1) }

const within = ({ low, high }: EndRange, end: number): number => Math.min(Math.max(end, low), high)

const isFull = ({ end, packed }: Filled, { high }: EndRange): boolean =>
  packed.length <= MAX_BYTES && (packed.length >= ENOUGH_BYTES || end === high)

const TARGET_BYTES = (MAX_BYTES + ENOUGH_BYTES) / 2

/** The index after the last line of the prefix that the line at this index has. */
function endOfPrefix(lines: readonly string[], index: number): number {
  if (index >= lines.length) return lines.length
  const prefix = prefixOfLine(lines[index] ?? '')
  let end = index + 1
  while (end < lines.length && prefixOfLine(lines[end] ?? '') === prefix) end += 1
  return end
}

/** The index of the first line of the prefix that the line at this index has. */
function startOfPrefix(lines: readonly string[], index: number): number {
  if (index >= lines.length) return lines.length
  const prefix = prefixOfLine(lines[index] ?? '')
  let start = index
  while (start > 0 && prefixOfLine(lines[start - 1] ?? '') === prefix) start -= 1
  return start
}

/** Collects the lines of earlier prefixes that may be leading parts of later ones. */
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

/** A page of 7,500 bytes has about 40,000 of text: one buffer unpacks it a third faster than several. */
const UNPACKING = { chunkSize: 65_536 }

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
      return inflateRawSync(packed, UNPACKING).toString().split('\n')
    },
  }
}

export const ownLines = ({ lines, inherited }: Page): readonly string[] => lines.slice(inherited)
