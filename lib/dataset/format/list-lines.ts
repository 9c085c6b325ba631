import { groupBy } from '#lib/domain/collections.ts'

/** Sorts the lines that the rows of a file become. `keyOf` returns the part of a line that must be unique. */
export interface SortedLines {
  add(line: string, row: number): void
  /**
   * Sorts the added lines. Drops those that repeat an earlier row of the file, and all rows of one key that contradict each
   * other. Returns the reasons by row.
   */
  complete(): ReadonlyMap<number, string>
  /** The sorted lines, after `complete`. */
  readonly lines: string[]
}

export function createSortedLines(keyOf: (line: string) => string): SortedLines {
  const rows: number[] = []
  let lines: string[] = []
  return {
    add: (line, row) => {
      lines.push(line)
      rows.push(row)
    },
    complete: () => {
      const sorted = lines.toSorted()
      const repeated = repeatedKeys(sorted, keyOf)
      const refused = repeated.size === 0 ? NONE : refusedPlaces(lines, rows, keyOf, repeated)
      lines = refused.size === 0 ? sorted : lines.filter((_, place) => !refused.has(place)).sort()
      const reasons = new Map([...refused].map(([place, reason]) => [rows[place] ?? 0, reason]))
      rows.length = 0
      return reasons
    },
    get lines() {
      return lines
    },
  }
}

const NONE: ReadonlyMap<number, string> = new Map()

/** Refuses lines of the repeated keys, by place. */
function refusedPlaces(
  lines: readonly string[],
  rows: readonly number[],
  keyOf: (line: string) => string,
  repeated: ReadonlySet<string>,
): ReadonlyMap<number, string> {
  const keyAt = (place: number) => keyOf(lines[place] ?? '')
  const places = [...lines.keys()].filter((place) => repeated.has(keyAt(place)))
  const groups = [...groupBy(places, keyAt).values()]
  return new Map(groups.flatMap((group) => refusedOfKey(group, lines, rows)))
}

/** The first of equal lines is kept. Different lines are all refused, because none of them is known to be right. */
function refusedOfKey(
  [first = 0, ...others]: readonly number[],
  lines: readonly string[],
  rows: readonly number[],
): [place: number, reason: string][] {
  const different = others.find((place) => lines[place] !== lines[first])
  if (different === undefined) return others.map((place) => [place, `repeats line ${rows[first]}`])
  const contradicts = (place: number) => `contradicts line ${rows[place]}: both are refused`
  return [
    [first, contradicts(different)],
    ...others.map((place): [number, string] => [place, contradicts(first)]),
  ]
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

/** The cells of the lines of a list, separated by tabs, in their order. */
export interface LineCells {
  readonly names: readonly string[]
  /** The number of leading cells that are the key of a line. */
  readonly keys: number
  /** The cells of an empty new row. */
  readonly blank: readonly string[]
}

/** Marks a cell that the file lacks, until the stored line is known. */
const NOT_GIVEN = '\u0001'

/** Marks the cells of these columns as missing. Key cells are never marked. */
export function markMissingCells(
  line: string,
  missing: readonly string[],
  { names, keys }: LineCells,
): string {
  if (missing.length === 0) return line
  const cells = line.split('\t')
  return cells
    .map((cell, place) => (place >= keys && missing.includes(names[place] ?? '') ? NOT_GIVEN + cell : cell))
    .join('\t')
}

/** Fills marked cells from the stored line; a new line keeps its defaults. */
export function fillMissingCells(line: string, stored: string | undefined): string {
  if (!line.includes(NOT_GIVEN)) return line
  const known = stored?.split('\t')
  const fill = (cell: string, place: number) =>
    cell.startsWith(NOT_GIVEN) ? (known?.[place] ?? cell.slice(NOT_GIVEN.length)) : cell
  return line.split('\t').map(fill).join('\t')
}

/**
 * Finds a key column that the file lacks and in which a stored line differs from a new row. The rows of such a file cannot
 * be matched with stored lines.
 */
export function ambiguousKeyColumn(
  stored: Iterable<string>,
  missing: ReadonlySet<string>,
  { names, keys, blank }: LineCells,
): string | undefined {
  const places = [...Array(keys).keys()].filter((place) => missing.has(names[place] ?? ''))
  if (places.length === 0) return undefined
  for (const line of stored) {
    const cells = line.split('\t', keys)
    const place = places.find((one) => cells[one] !== blank[one])
    if (place !== undefined) return names[place]
  }
  return undefined
}
