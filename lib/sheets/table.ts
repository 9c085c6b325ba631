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

/** The one under which the most columns are known by their names; `sep=;` above the header says it outright. */
function delimiterOf(text: string, { columns }: Profile): string {
  const [, stated] = /^sep=(.)\r?\n/.exec(text) ?? []
  if (stated !== undefined) return stated
  const start = firstLines(text, HEADER_WITHIN)
  const known = (delimiter: string) =>
    Math.max(0, ...csvRows(start, delimiter).map(({ cells }) => knownIn(placesIn(cells, columns))))
  return DELIMITERS.reduce((best, other) => (known(other) > known(best) ? other : best))
}
