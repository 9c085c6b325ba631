/**
 * The lines of what is written as a whole, with the lines of the file they came from: kept as one text each, which is
 * what half a million of them can be sorted by in little memory. `keyOf` is the part that no two may have in common.
 */
export interface SortedLines {
  add(line: string, at: number): void
  /** Sorts them; those that say the same as an earlier row of the file are dropped, with the reason by line. */
  complete(): ReadonlyMap<number, string>
  /** After `complete`. */
  readonly lines: readonly string[]
}

export function createSortedLines(keyOf: (line: string) => string): SortedLines {
  let lines: string[] = []

  return {
    add: (line, at) => lines.push(`${line}\t${at}`),
    complete: () => {
      const refused = new Map<number, string>()
      lines.sort()
      lines = [...distinct(lines, keyOf, refused)]
      return refused
    },
    get lines() {
      return lines
    },
  }
}

function* distinct(lines: readonly string[], keyOf: (line: string) => string, refused: Map<number, string>) {
  let last: Kept | undefined
  for (const numbered of lines) {
    const next = unnumbered(numbered, keyOf)
    if (last?.key === next.key) {
      const [first, again] = inFileOrder(last, next)
      refused.set(again.at, `says anew what line ${first.at} says already`)
      last = first
    } else {
      if (last) yield last.line
      last = next
    }
  }
  if (last) yield last.line
}

interface Kept {
  readonly line: string
  readonly key: string
  readonly at: number
}

function unnumbered(numbered: string, keyOf: (line: string) => string): Kept {
  const end = numbered.lastIndexOf('\t')
  const line = numbered.slice(0, end)
  return { line, key: keyOf(line), at: Number(numbered.slice(end + 1)) }
}

const inFileOrder = (one: Kept, other: Kept): [Kept, Kept] =>
  one.at < other.at ? [one, other] : [other, one]

/** Both in order, without a line of `before` whose key one of `after` has. */
export function mergeLines(
  before: readonly string[],
  after: readonly string[],
  keyOf: (line: string) => string,
): string[] {
  const replaced = new Set(after.map(keyOf))
  return [...before.filter((line) => !replaced.has(keyOf(line))), ...after].sort()
}
