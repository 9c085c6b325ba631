import { cellsInSpan, type RowSpan, spansOf } from '#lib/csv/reader.ts'
import { quotedLine } from '#lib/csv/writer.ts'
import { type Found, foundsBy, type ParsedCdr, unreadable } from './cdr.ts'
import type { Field } from './fields.ts'

type Row = readonly string[]

export interface CsvFormat {
  /** The columns of a document without a header; `undefined` if the source declares none. */
  readonly columns: Row | undefined
  /** Tells whether the first row is a header. */
  readonly isHeader: (row: Row) => boolean
  /** The column that a cell of the header names. */
  readonly nameIn: (cell: string) => string
  /** The remedy for a row of another length in a document without a header. */
  readonly remedyFor?: (row: Row) => string | undefined
  /** Tells whether a name among the columns says something about all rows, and has no cell. */
  readonly isStatement?: (name: string) => boolean
  /** The reason why these columns and statements cannot be read; `undefined` if they can. */
  readonly missingIn?: (columns: Row) => string | undefined
  /** The text as CSV, if the switch writes it otherwise. */
  readonly tidied?: (text: string) => string
}

/**
 * The parts of a CSV document (RFC 4180). `read` gets the fields of a row by column name. The text of a part repeats the
 * header of the document, so that the part can be parsed alone. A line that is not CSV is a problem of its own. A header
 * may come again below, where files were joined: it holds for the rows below it.
 */
export function* readRows(
  written: string,
  format: CsvFormat,
  read: (field: Field) => Found | readonly Found[],
): Generator<ParsedCdr> {
  const text = format.tidied?.(written) ?? written
  const first = findCsvHeader(text, format)
  let table = tableOf(format, first?.cells)
  for (const span of spansOf(text, first?.next)) {
    const header = headerIn(text, span, format)
    if (header) table = tableOf(format, header)
    else yield* partsOf(text, span, table, read)
  }
}

/** The columns of the rows below a header. */
interface Table {
  readonly columns: Row | undefined
  readonly indexes: ReadonlyMap<string, number>
  readonly headerLine: string
  readonly problem: Found | undefined
  readonly remedyFor: CsvFormat['remedyFor']
}

/** Statements of the source hold for a document with a header, too. */
function tableOf(format: CsvFormat, header: Row | undefined): Table {
  const { isStatement = () => false } = format
  const statements = format.columns?.filter(isStatement) ?? []
  const names = header ? [...header.map(format.nameIn), ...statements] : format.columns
  const columns = names?.filter((name) => !isStatement(name))
  const missing = names && format.missingIn?.(names)
  return {
    columns: columns?.length === 0 ? undefined : columns,
    indexes: new Map(columns?.map((name, index) => [name, index])),
    headerLine: header ? `${quotedLine(header)}\n` : '',
    problem: missing === undefined ? undefined : unreadable(missing),
    remedyFor: header ? undefined : format.remedyFor,
  }
}

function partsOf(
  text: string,
  span: RowSpan,
  table: Table,
  read: (field: Field) => Found | readonly Found[],
): ParsedCdr[] {
  const part = (found: Found, line: () => string) => ({ found, text: () => table.headerLine + line(), line })
  const row = rowIn(text, span, table)
  if (!Array.isArray(row)) return [part(row, () => text.slice(span.start, span.end))]
  const field: Field = (name) => row[table.indexes.get(name) ?? -1] ?? ''
  return foundsBy(() => read(field)).map((found) => part(found, () => quotedLine(row)))
}

/** A CDR has a time. A row without four digits in a row may be a header, so only its cells are looked at. */
const TIME_DIGITS = /\d{4}/

/** The cells of a row that is a header. */
export function headerIn(
  text: string,
  { start, end, isCsv }: RowSpan,
  { isHeader }: CsvFormat,
): Row | undefined {
  if (!isCsv || end - start > MAX_HEADER_CHARACTERS) return undefined
  const line = text.slice(start, end)
  if (TIME_DIGITS.test(line)) return undefined
  const cells = cellsInSpan(text, { start, end, next: end, isCsv })
  return isHeader(cells) ? cells : undefined
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
function rowIn(text: string, span: RowSpan, { columns, remedyFor, problem }: Table): string[] | Found {
  if (!span.isCsv) return NOT_CSV
  if (span.end - span.start < MIN_ROW_CHARACTERS) return TOO_SHORT
  if (!columns) return NO_COLUMNS
  if (problem) return problem
  const row = cellsInSpan(text, span)
  if (row.length === columns.length) return row
  const remedy = remedyFor?.(row)
  return unreadable(
    `it has ${row.length} columns, expected ${columns.length}${remedy === undefined ? '' : `: ${remedy}`}`,
  )
}

const NOT_CSV = unreadable('its quotes are not valid CSV')
const TOO_SHORT = unreadable('it is too short to be a CDR')
const NO_COLUMNS = unreadable('its columns are unknown: declare the columns of the source')
