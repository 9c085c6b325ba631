import { parse } from 'csv-parse/sync'

/** MySQL's ways of writing that there is no value, as its exports have them. */
const NO_VALUES = new Set(['\\N', '0000-00-00', '0000-00-00 00:00:00'])

/** The cell, blank where it says that there is no value. */
export const withoutNoValue = (cell: string): string => (NO_VALUES.has(cell) ? '' : cell)

/** A record of CSV with its cells, and as it was written. */
export interface CsvRecord {
  readonly record: readonly string[]
  readonly raw: string
}

/** The same for the cells of a record of CSV, in which `NULL` without quotes says it, too. */
export function csvCells({ record, raw }: CsvRecord): readonly string[] {
  if (!record.includes('NULL')) return record.map(withoutNoValue)
  const cells = raw.includes('"NULL"') ? quotedKept(raw) : record.map((cell) => (cell === 'NULL' ? '' : cell))
  return cells.map(withoutNoValue)
}

/** Parses the record anew, since only a parser knows which of its cells stood in quotes. */
function quotedKept(raw: string): readonly string[] {
  const [cells = []] = parse(raw, {
    relax_column_count: true,
    skip_empty_lines: true,
    cast: (cell, { quoting }) => (cell === 'NULL' && !quoting ? '' : cell),
  }) as string[][]
  return cells
}
