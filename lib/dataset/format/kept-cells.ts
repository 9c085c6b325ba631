/** The cells of the lines of a list, in their order. */
export interface LineCells {
  readonly names: readonly string[]
  /** So many of the first cells are the key of a line. */
  readonly keys: number
  /** A line of a new row without anything in it. */
  readonly blank: readonly string[]
}

/** Stands before a cell of a new row that the file does not have, until it is known whether one is stored. */
const NOT_GIVEN = '\u0001'

/** The line with its cells of these columns marked as not given. */
export function withoutCells(line: string, missing: readonly string[], { names, keys }: LineCells): string {
  if (missing.length === 0) return line
  const cells = line.split('\t')
  return cells
    .map((cell, place) => (place >= keys && missing.includes(names[place] ?? '') ? NOT_GIVEN + cell : cell))
    .join('\t')
}

/** The lines with what is stored under their keys in the cells that are not given. Both are in the order of their keys. */
export function* withStoredCells(
  lines: Iterable<string>,
  stored: Iterable<string>,
  keyOf: (line: string) => string,
): Generator<string> {
  const rest = stored[Symbol.iterator]()
  let next = rest.next()
  for (const line of lines) {
    const key = keyOf(line)
    while (!next.done && keyOf(next.value) < key) next = rest.next()
    yield filled(line, !next.done && keyOf(next.value) === key ? next.value.split('\t') : [])
  }
}

function filled(line: string, stored: readonly string[]): string {
  const fill = (cell: string, place: number) =>
    cell.startsWith(NOT_GIVEN) ? (stored[place] ?? cell.slice(NOT_GIVEN.length)) : cell
  return line.split('\t').map(fill).join('\t')
}

/**
 * The column of the key that a file does not have although stored lines differ in it from a new row: nobody knows which of
 * them its rows are.
 */
export function unclearKey(
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
