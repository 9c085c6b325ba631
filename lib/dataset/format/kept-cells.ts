/** The cells of the lines of a list, in their order. */
export interface LineCells {
  readonly names: readonly string[]
  /** The number of leading cells that are the key of a line. */
  readonly keys: number
  /** The cells of an empty new row. */
  readonly blank: readonly string[]
}

/** Marks a cell that the file lacks, until the stored line is known. */
const NOT_GIVEN = '\u0001'

/** Marks the cells of these columns as missing. */
export function withoutCells(line: string, missing: readonly string[], { names, keys }: LineCells): string {
  if (missing.length === 0) return line
  const cells = line.split('\t')
  return cells
    .map((cell, place) => (place >= keys && missing.includes(names[place] ?? '') ? NOT_GIVEN + cell : cell))
    .join('\t')
}

/** Fills marked cells from the stored line; a new line keeps its defaults. */
export function withStoredCells(line: string, stored: string | undefined): string {
  if (!line.includes(NOT_GIVEN)) return line
  const known = stored?.split('\t')
  const fill = (cell: string, place: number) =>
    cell.startsWith(NOT_GIVEN) ? (known?.[place] ?? cell.slice(NOT_GIVEN.length)) : cell
  return line.split('\t').map(fill).join('\t')
}

/**
 * Finds a key column that the file lacks and in which stored lines differ from a new row. The rows of such a file cannot
 * be matched with stored lines.
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
