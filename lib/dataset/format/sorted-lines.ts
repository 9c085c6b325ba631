import { mergeSorted, type PackedLines, packLines } from '#lib/store/rates/packed-lines.ts'

/**
 * Sorts the lines that the rows of a file become, in little memory: they are sorted some at a time, kept compressed, and
 * merged. `keyOf` is the part of a line that no two may have in common.
 */
export interface SortedLines {
  add(line: string, at: number): void
  /** Sorts what was added. Lines that repeat an earlier row of the file are dropped; answers the reasons by line. */
  complete(): ReadonlyMap<number, string>
  /** The sorted lines, once `complete` was called. */
  readonly lines: PackedLines
}

const SORTED_AT_ONCE = 10_000

export function createSortedLines(keyOf: (line: string) => string): SortedLines {
  let runs: PackedLines[] = []
  let pending: string[] = []
  let lines = packLines([])
  const close = () => {
    runs.push(packLines(pending.sort()))
    pending = []
  }

  return {
    add: (line, at) => {
      if (pending.push(`${line}\t${at}`) === SORTED_AT_ONCE) close()
    },
    complete: () => {
      const refused = new Map<number, string>()
      close()
      lines = packLines(distinct(mergeSorted(runs), keyOf, refused))
      runs = []
      return refused
    },
    get lines() {
      return lines
    },
  }
}

function* distinct(
  lines: Iterable<string>,
  keyOf: (line: string) => string,
  refused: Map<number, string>,
): Generator<string> {
  let last: NumberedLine | undefined
  for (const numbered of lines) {
    const next = unnumbered(numbered, keyOf)
    if (last?.key === next.key) {
      const [first, again] = inFileOrder(last, next)
      refused.set(again.at, `repeats line ${first.at}`)
      last = first
    } else {
      if (last) yield last.line
      last = next
    }
  }
  if (last) yield last.line
}

interface NumberedLine {
  readonly line: string
  readonly key: string
  readonly at: number
}

function unnumbered(numbered: string, keyOf: (line: string) => string): NumberedLine {
  const end = numbered.lastIndexOf('\t')
  const line = numbered.slice(0, end)
  return { line, key: keyOf(line), at: Number(numbered.slice(end + 1)) }
}

const inFileOrder = (one: NumberedLine, other: NumberedLine): [NumberedLine, NumberedLine] =>
  one.at < other.at ? [one, other] : [other, one]

/** Merges both lists. A line of `after` takes the place of the line of `before` with the same key. */
export function mergeLines(
  before: PackedLines,
  after: PackedLines,
  keyOf: (line: string) => string,
): PackedLines {
  const keys = new Set<string>()
  for (const line of after) keys.add(keyOf(line))
  return packLines(mergeSorted([without(before, keys, keyOf), after]))
}

function* without(lines: Iterable<string>, keys: ReadonlySet<string>, keyOf: (line: string) => string) {
  for (const line of lines) if (!keys.has(keyOf(line))) yield line
}
