import { HEADER_WITHIN, knownIn, placesIn } from './columns.ts'
import { csvRows, DELIMITERS, firstLines } from './csv-rows.ts'
import type { Profile } from './profile.ts'
import { SheetError } from './sheet-error.ts'
import type { SheetRow } from './sheet-row.ts'
import { decode, encodingOf } from './sheet-text.ts'
import { isCompoundFile, isWorkbook, workbookRows } from './workbook.ts'

/** The rows of a sheet, and what was found out about how it is written. */
export interface Table {
  readonly rows: readonly SheetRow[]
  readonly found: Pick<Profile, 'delimiter' | 'encoding' | 'sheet'>
}

const MOST_BYTES = 100_000_000

/** Reads CSV of any delimiter and encoding, or .xlsx. Throws SheetError for what is neither, or too large. */
export async function readTable(bytes: Uint8Array, profile: Profile): Promise<Table> {
  if (isCompoundFile(bytes))
    throw new SheetError('The sheet is an .xls, or has a password: save it as .xlsx without one, or as CSV')
  if (isWorkbook(bytes)) return { rows: await workbookRows(bytes, profile.sheet), found: {} }
  if (bytes.length > MOST_BYTES) throw new SheetError('The sheet has more than 100 MB')
  return readText(bytes, profile)
}

function readText(bytes: Uint8Array, profile: Profile): Table {
  const encoding = profile.encoding ?? encodingOf(bytes)
  const text = decode(bytes, encoding)
  const delimiter = profile.delimiter ?? delimiterOf(text, profile)
  return { rows: csvRows(text, delimiter), found: { delimiter, encoding } }
}

/**
 * The one under which the most columns are known by their names, and of several such the one under which the most lines have as
 * many cells as one another; `sep=;` above the header says it outright.
 */
function delimiterOf(text: string, { columns }: Profile): string {
  const [, stated] = /^sep=(.)\r?\n/.exec(text) ?? []
  if (stated !== undefined) return stated
  const start = firstLines(text, HEADER_WITHIN)
  const fitness = (delimiter: string): number => {
    const rows = csvRows(start, delimiter)
    const known = Math.max(0, ...rows.map(({ cells }) => knownIn(placesIn(cells, columns))))
    return known * (HEADER_WITHIN + 1) + linesAlike(rows)
  }
  return DELIMITERS.reduce((best, other) => (fitness(other) > fitness(best) ? other : best))
}

/** How many rows have the same number of cells, more than one. */
function linesAlike(rows: readonly SheetRow[]): number {
  const counts = new Map<number, number>()
  for (const { cells } of rows)
    if (cells.length > 1) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}
