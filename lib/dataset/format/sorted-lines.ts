/** Sorts the lines that the rows of a file become. `keyOf` is the part of a line that no two may have in common. */
export interface SortedLines {
  add(line: string, at: number): void
  /** Sorts what was added. Lines that repeat an earlier row of the file are dropped; returns the reasons by row. */
  complete(): ReadonlyMap<number, string>
  /** The sorted lines, once `complete` was called. */
  readonly lines: string[]
}

export function createSortedLines(keyOf: (line: string) => string): SortedLines {
  const rows: number[] = []
  let lines: string[] = []
  return {
    add: (line, at) => {
      lines.push(line)
      rows.push(at)
    },
    complete: () => {
      const sorted = lines.toSorted()
      const repeated = repeatedKeys(sorted, keyOf)
      const refused = new Map<number, string>()
      const firstRows = new Map<string, number>()
      const isFirst = (line: string, place: number): boolean => {
        const [key, at = 0] = [keyOf(line), rows[place]]
        const first = firstRows.get(key)
        if (first !== undefined) refused.set(at, `repeats line ${first}`)
        else if (repeated.has(key)) firstRows.set(key, at)
        return first === undefined
      }
      lines = repeated.size === 0 ? sorted : lines.filter(isFirst).sort()
      rows.length = 0
      return refused
    },
    get lines() {
      return lines
    },
  }
}

/** Finds keys that come twice. A map of all keys would take almost as much memory as the lines. */
function repeatedKeys(sorted: readonly string[], keyOf: (line: string) => string): ReadonlySet<string> {
  const repeated = new Set<string>()
  let last: string | undefined
  for (const line of sorted) {
    const key = keyOf(line)
    if (key === last) repeated.add(key)
    last = key
  }
  return repeated
}
