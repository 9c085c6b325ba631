import { cellsOf, type RowSpan, spansOf } from '#lib/csv/rows.ts'
import { quotedLine } from '#lib/csv/writer.ts'
import { type DocumentPart, type Found, foundBy, unreadable } from './cdr.ts'
import type { Field } from './fields.ts'

type Row = readonly string[]

export interface CsvFormat {
  /** The columns of a document without a header. */
  readonly columns: Row | undefined
  /** Whether a first row is the header. */
  readonly isHeader: (row: Row) => boolean
  /** The column that a cell of the header names. */
  readonly nameIn: (cell: string) => string
}

/**
 * The parts of a CSV document (RFC 4180). `read` gets a row's fields by the names of their columns. The text of a part has
 * the header where the document has one, so that it can be read again by itself. A line that is not CSV is refused alone.
 */
export function* readRows(
  text: string,
  format: CsvFormat,
  read: (field: Field) => Found,
): Generator<DocumentPart> {
  const header = headerOf(text, format)
  const columns = header ? header.cells.map(format.nameIn) : format.columns
  const places = new Map(columns?.map((name, place) => [name, place]))
  const headerLine = header ? `${quotedLine(header.cells)}\n` : ''

  const partOf = (span: RowSpan): DocumentPart => {
    const row = rowIn(text, span, columns)
    if (!Array.isArray(row)) return part(row, () => text.slice(span.start, span.end))
    const field: Field = (name) => row[places.get(name) ?? -1] ?? ''
    return part(
      foundBy(() => read(field)),
      () => quotedLine(row),
    )
  }
  const part = (found: Found, line: () => string) => ({ found, text: () => headerLine + line(), line })

  for (const span of spansOf(text, header?.next)) yield partOf(span)
}

/** The text of each part repeats the header, so a longer first row is read as data. */
const MAX_HEADER = 4000

interface CsvHeader {
  readonly cells: Row
  /** The place where the first row below it begins. */
  readonly next: number
}

/** `undefined` for a document without a header. */
export function headerOf(text: string, { isHeader }: CsvFormat): CsvHeader | undefined {
  const [first] = spansOf(text.slice(0, 2 * MAX_HEADER))
  if (!first?.isCsv || first.end - first.start > MAX_HEADER) return undefined
  const cells = cellsOf(text, first)
  return isHeader(cells) ? { cells, next: first.next } : undefined
}

/** A Unix time has nine digits: a document of a million lines without one costs no more than another one. */
const MIN_ROW = 9

/** The cells of a row, or the reason why it is no CDR. */
function rowIn(text: string, span: RowSpan, columns: Row | undefined): string[] | Found {
  if (!span.isCsv) return NOT_CSV
  if (span.end - span.start < MIN_ROW) return TOO_SHORT
  if (!columns) return NO_COLUMNS
  const row = cellsOf(text, span)
  return row.length === columns.length
    ? row
    : unreadable(`it has ${row.length} columns, expected ${columns.length}`)
}

const NOT_CSV = unreadable('its quotes are not those of CSV')
const TOO_SHORT = unreadable('it is too short to be a CDR')
const NO_COLUMNS = unreadable('nothing says what its columns are')
