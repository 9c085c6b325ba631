/** The cells of the lines of a list, separated by tabs, in their order. */
export interface LineCells {
  readonly names: readonly string[]
  /** The number of leading cells that are the key of a line. */
  readonly keys: number
  /** The values of further key columns, which have no cell of their own: a blank one is that of a new row. */
  readonly within?: (line: string) => Readonly<Record<string, string>>
  /** The cells of an empty new row. Cells after them are left out of a line that has no value in them. */
  readonly blank: readonly string[]
}

/** Marks a cell that the file lacks, until the stored line is known. */
const NOT_GIVEN = '\u0001'

/** Marks the cells of these columns as missing. Key cells are never marked. */
export function markMissingCells(
  line: string,
  missing: readonly string[],
  { names, keys, blank }: LineCells,
): string {
  if (missing.length === 0) return line
  const cells = line.split('\t')
  const lacksMore = cells.length >= blank.length && missing.includes(names[cells.length] ?? '')
  const mark = (cell: string, index: number) =>
    index >= keys && missing.includes(names[index] ?? '') ? NOT_GIVEN + cell : cell
  return [...cells.map(mark), ...(lacksMore ? [NOT_GIVEN] : [])].join('\t')
}

/** Fills marked cells from the stored line; a new line keeps its defaults. */
export function fillMissingCells(
  line: string,
  stored: string | undefined,
  { blank }: Pick<LineCells, 'blank'>,
): string {
  if (!line.includes(NOT_GIVEN)) return line
  const known = stored?.split('\t')
  const fill = (cell: string, index: number): string[] => {
    if (!cell.startsWith(NOT_GIVEN)) return [cell]
    if (index >= blank.length) return known?.slice(index) ?? []
    return [known?.[index] ?? cell.slice(NOT_GIVEN.length)]
  }
  return line.split('\t').flatMap(fill).join('\t')
}

/**
 * The lines as a list without further cells has them; `undefined` if the file lacks other columns. Files of
 * earlier versions lack only those.
 */
export function linesWithoutMore(
  lines: readonly string[],
  missing: ReadonlySet<string>,
  { names, blank }: LineCells,
): readonly string[] | undefined {
  if (missing.size === 0) return lines
  const hasCell = (name: string) => names.slice(0, blank.length).includes(name)
  if ([...missing].some(hasCell)) return undefined
  return lines.map((line) => (line.endsWith(LACKS_MORE) ? line.slice(0, -LACKS_MORE.length) : line))
}

const LACKS_MORE = `\t${NOT_GIVEN}`

/**
 * Finds a key column that the file lacks and in which a stored line differs from a new row. The rows of such
 * a file cannot be matched with stored lines.
 */
export function ambiguousKeyColumn(
  stored: Iterable<string>,
  missing: ReadonlySet<string>,
  { names, keys, blank, within = () => ({}) }: LineCells,
): string | undefined {
  const leading = names.slice(0, keys)
  const keyValues = (line: string) => {
    const cells = line.split('\t', keys)
    return { ...Object.fromEntries(leading.map((name, index) => [name, cells[index]])), ...within(line) }
  }
  const blanks: Readonly<Record<string, string | undefined>> = keyValues(blank.join('\t'))
  const lacking = Object.keys(blanks).filter((name) => missing.has(name))
  if (lacking.length === 0) return undefined
  for (const line of stored) {
    const values: typeof blanks = keyValues(line)
    const column = lacking.find((name) => values[name] !== blanks[name])
    if (column !== undefined) return column
  }
  return undefined
}
