export type SortedLines = ReturnType<typeof createSortedLines>

/**
 * Sorts the lines that the rows of a file become. `keyOf` returns the part of a line that must be unique.
 * Rows are kept apart from lines: pairs would take more memory.
 */
export function createSortedLines(keyOf: (line: string) => string) {
  const rows: number[] = []
  let lines: string[] = []
  return {
    add: (line: string, row: number): void => {
      lines.push(line)
      rows.push(row)
    },
    /**
     * Sorts the added lines. Drops those that repeat an earlier row of the file, and all rows of one key that
     * contradict each other. Returns the reasons by row.
     */
    complete: (): ReadonlyMap<number, string> => {
      const sorted = lines.toSorted()
      const repeated = repeatedKeys(sorted, keyOf)
      const refused = repeated.size === 0 ? [] : refusedLines(lines, rows, keyOf, repeated)
      const dropped = new Set(refused.map(({ index }) => index))
      lines = dropped.size === 0 ? sorted : lines.filter((_, index) => !dropped.has(index)).sort()
      rows.length = 0
      return new Map(refused.map(({ row, reason }) => [row, reason]))
    },
    /** The sorted lines, after `complete`. */
    get lines(): string[] {
      return lines
    },
  }
}

/** A line whose key other lines have, too. A row of a sheet may become several lines. */
interface RepeatedLine {
  readonly line: string
  readonly index: number
  readonly row: number
}

interface RefusedLine extends RepeatedLine {
  readonly reason: string
}

function refusedLines(
  lines: readonly string[],
  rows: readonly number[],
  keyOf: (line: string) => string,
  repeated: ReadonlySet<string>,
): RefusedLine[] {
  const suspects = lines.flatMap((line, index) =>
    repeated.has(keyOf(line)) ? [{ line, index, row: rows[index] ?? 0 }] : [],
  )
  return [...Map.groupBy(suspects, ({ line }) => keyOf(line)).values()].flatMap(refusedOfKey)
}

/** The first of equal lines is kept. Different lines are all refused: none is known to be right. */
function refusedOfKey(group: readonly RepeatedLine[]): RefusedLine[] {
  const [first, ...others] = group
  const different = others.find(({ line }) => line !== first?.line)
  if (!different) return others.map((one) => ({ ...one, reason: `repeats line ${first?.row}` }))
  return group.map((one) => ({
    ...one,
    reason: `contradicts line ${(one === first ? different : first)?.row}: both are refused`,
  }))
}

/** Finds the keys of more than one line. A map of all keys would take almost as much memory as the lines. */
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
