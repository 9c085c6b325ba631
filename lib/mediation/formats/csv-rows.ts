import { cellsInSpan, type RowSpan, spansOf } from '#lib/csv/reader.ts'
import { quotedLine } from '#lib/csv/writer.ts'
import { type DocumentPart, type Found, foundsBy, unreadable } from './cdr.ts'
import type { Field } from './fields.ts'

type Row = readonly string[]

export interface CsvFormat {
  /** The columns of a document without a header; `undefined` if the source declares none. */
  readonly columns: Row | undefined
  /** Tells whether the first row is a header. */
  readonly isHeader: (row: Row) => boolean
  /** The column that a cell of the header names. */
  readonly nameIn: (cell: string) => string
  /** The remedy for rows of this length in a document without a header. */
  readonly remedyFor?: (length: number) => string | undefined
}

/**
 * The parts of a CSV document (RFC 4180). `read` gets the fields of a row by column name. The text of a part repeats the
 * header of the document, so that the part can be parsed alone. A line that is not CSV is a problem of its own.
 */
export function* readRows(
  text: string,
  format: CsvFormat,
  read: (field: Field) => Found | readonly Found[],
): Generator<DocumentPart> {
  const header = findCsvHeader(text, format)
  const columns = header ? header.cells.map(format.nameIn) : format.columns
  const places = new Map(columns?.map((name, place) => [name, place]))
  const remedyFor = header ? undefined : format.remedyFor
  const headerLine = header ? `${quotedLine(header.cells)}\n` : ''

  const partsOf = (span: RowSpan): DocumentPart[] => {
    const row = rowIn(text, span, columns, remedyFor)
    if (!Array.isArray(row)) return [part(row, () => text.slice(span.start, span.end))]
    const field: Field = (name) => row[places.get(name) ?? -1] ?? ''
    return foundsBy(() => read(field)).map((found) => part(found, () => quotedLine(row)))
  }
  const part = (found: Found, line: () => string) => ({ found, text: () => headerLine + line(), line })

  for (const span of spansOf(text, header?.next)) yield* partsOf(span)
}

/** The text of each part repeats the header, so a longer first row counts as data. */
const MAX_HEADER_CHARACTERS = 4000

/** The header of a document, and the offset of the row below it; `undefined` for a document without a header. */
export function findCsvHeader(
  text: string,
  { isHeader }: CsvFormat,
): { cells: Row; next: number } | undefined {
  const [first] = spansOf(text.slice(0, 2 * MAX_HEADER_CHARACTERS))
  if (!first?.isCsv || first.end - first.start > MAX_HEADER_CHARACTERS) return undefined
  const cells = cellsInSpan(text, first)
  return isHeader(cells) ? { cells, next: first.next } : undefined
}

/** A CDR has a time, and a Unix time alone has nine digits. This keeps a million short lines as cheap as other documents. */
const MIN_ROW_CHARACTERS = 9

/** The cells of a row, or the reason why it is not a CDR. */
function rowIn(
  text: string,
  span: RowSpan,
  columns: Row | undefined,
  remedyFor: CsvFormat['remedyFor'],
): string[] | Found {
  if (!span.isCsv) return NOT_CSV
  if (span.end - span.start < MIN_ROW_CHARACTERS) return TOO_SHORT
  if (!columns) return NO_COLUMNS
  const row = cellsInSpan(text, span)
  if (row.length === columns.length) return row
  const remedy = remedyFor?.(row.length)
  return unreadable(
    `it has ${row.length} columns, expected ${columns.length}${remedy === undefined ? '' : `: ${remedy}`}`,
  )
}

const NOT_CSV = unreadable('its quotes are not valid CSV')
const TOO_SHORT = unreadable('it is too short to be a CDR')
const NO_COLUMNS = unreadable('its columns are unknown: declare the columns of the source')
