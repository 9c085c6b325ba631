import { memoize } from '#lib/base/collections.ts'
import { hasColumn, positionName, positionsOf } from '#lib/csv/headings.ts'
import {
  type CsvDialect,
  cellsInSpan,
  delimiterOf,
  type RowSpan,
  spansOf,
  statedDelimiter,
} from '#lib/csv/reader.ts'
import { quotedLine } from '#lib/csv/writer.ts'
import { type CdrText, DAMAGED, type Found, foundsBy, type ParsedCdr, SKIPPED, unreadable } from './cdr.ts'
import { type Field, quotedNames, quotedValue, withoutBlanks } from './fields.ts'

type Row = readonly string[]

export interface CsvFormat {
  /** The columns of a document without a header; `undefined` if the source declares none. */
  readonly columns: Row | undefined
  readonly isHeader: (row: Row) => boolean
  /** Returns whether a first row is a header whose columns are named otherwise. */
  readonly isForeignHeader?: (row: Row) => boolean
  /** The column that a cell of the header names. */
  readonly nameIn: (cell: string) => string
  /** The remedy for a row of another length, or of unknown columns, in a document without a header. */
  readonly remedyFor?: (row: Row) => string | undefined
  /** The columns of a row in a document without a header, if they depend on the row. */
  readonly columnsOf?: (row: Row) => Row | undefined
  /** Returns whether a name among the columns says something about all rows, and has no cell. */
  readonly isStatement?: (name: string) => boolean
  /** The reason why these columns and statements cannot be read; `undefined` if they can. */
  readonly missingIn?: (columns: Row) => string | undefined
  /** The reason why lengths in these columns cannot be read, by the rows below; `undefined` if they can. */
  readonly unclearIn?: (columns: Row, rows: () => Iterable<Row>) => string | undefined
  /** Returns whether a short row is a frame around the CDRs. */
  readonly isFrame?: (row: Row) => boolean
  /** The text as CSV, if the switch writes it otherwise. */
  readonly tidied?: (text: string) => string
}

/** The text of a CSV document, and how it is written. */
export interface CsvText {
  readonly text: string
  /** A first line such as `sep=;`, which `text` does not have; usually blank. */
  readonly statement: string
  readonly dialect: CsvDialect
  /** It has NUL characters. */
  readonly isDamaged: boolean
}

const NUL = '\0'

/** Finds the delimiter of a CSV document. Without commas, writers often leave quotes alone. */
export function csvTextOf(written: string, format: CsvFormat): CsvText {
  const text = withoutBorders(format.tidied?.(written) ?? written)
  const next = statedDelimiter(text)?.next ?? 0
  const delimiter = delimiterOf(text, (cells) => countKnown(cells, format))
  const dialect = { delimiter, relaxQuotes: delimiter !== ',' }
  const isDamaged = text.includes(NUL)
  return { text: text.slice(next), statement: text.slice(0, next), dialect, isDamaged }
}

/** The lines that mysql and psql add to the tables of a terminal: `+-----+----+` and `(2 rows)`. */
const BORDER = /^(?:[+-]{4,}|\(\d{1,9} rows?\))(?:\r?\n|(?![\s\S]))/gm

const withoutBorders = (text: string): string =>
  text.slice(0, MAX_HEADER_CHARACTERS).search(BORDER) < 0 ? text : text.replace(BORDER, '')

const countKnown = (cells: Row, { columns, isHeader }: CsvFormat): number =>
  isHeader(cells) || cells.length === columns?.length ? cells.length : 0

type ReadRow = (field: Field, columns: Row) => Found | readonly Found[]

/**
 * The parts of a CSV document (RFC 4180, or another delimiter). `read` receives a row's fields by column
 * name. Each part's text repeats the header, so that it can be parsed alone. A line that is not CSV is a
 * problem of its own. A repeated header, as in joined files, holds for the rows below it.
 */
export function* readRows(document: CdrText, format: CsvFormat, read: ReadRow): Generator<ParsedCdr> {
  const csv = csvTextOf(document.text, format)
  const first = findCsvHeader(csv, format)
  const isChosen = rowChoice(document)
  const readChosen: ReadRow = (field, columns) => (isChosen(field) ? read(field, columns) : SKIPPED)
  const rowsFrom = (next: number | undefined) => () => cellsBelow(csv, next, format)
  let table = tableOf(document, format, { header: first?.cells, rows: rowsFrom(first?.next) })
  // A switch that sends each CDR by itself sends whole ones.
  let mayBeHalf = document.object !== undefined
  for (const span of spansOf(csv.text, first?.next, csv.dialect)) {
    const header = headerIn(csv, span, format)
    if (header) table = tableOf(document, format, { header, rows: rowsFrom(span.next) })
    else if (!isFrameIn(csv, span, format)) {
      const parts = partsOf(csv, span, table, readChosen)
      yield* mayBeHalf && span.next > csv.text.length
        ? parts.map((part) => ({ ...part, isUnended: true }))
        : parts
      mayBeHalf = true
    }
  }
}

const MAX_FRAME_CHARACTERS = 40

const isFrameIn = ({ text, dialect }: CsvText, span: RowSpan, { isFrame }: CsvFormat): boolean =>
  isFrame !== undefined &&
  span.isCsv &&
  span.end - span.start <= MAX_FRAME_CHARACTERS &&
  isFrame(cellsInSpan(text, span, dialect))

/** The rows below a header, as far as the next one. */
function* cellsBelow(csv: CsvText, from: number | undefined, format: CsvFormat): Generator<Row> {
  for (const span of spansOf(csv.text, from, csv.dialect)) {
    if (headerIn(csv, span, format)) return
    if (span.isCsv && !isTooWide(csv.text, span, csv.dialect)) yield cellsInSpan(csv.text, span, csv.dialect)
  }
}

interface Table {
  readonly columnsOf: (row: Row) => Row | undefined
  readonly headerLine: string
  readonly problem: Found | undefined
  readonly asksLengths: boolean
  readonly remedyFor: (row: Row) => string | undefined
}

/** Statements of the source hold for a document with a header, too. */
function tableOf(
  document: CdrText,
  format: CsvFormat,
  { header, rows }: { readonly header: Row | undefined; readonly rows: () => Iterable<Row> },
): Table {
  const { isStatement = () => false } = format
  const statements = format.columns?.filter(isStatement) ?? []
  const names = header ? [...header.map(format.nameIn), ...statements] : format.columns
  const columns = names?.filter((name) => !isStatement(name)) ?? []
  const known = columns.length === 0 ? undefined : columns
  const missing = names && (format.missingIn?.(names) ?? missingCondition(document, names))
  const unclear = known && missing === undefined ? format.unclearIn?.(known, rows) : undefined
  const problem = missing ?? unclear
  return {
    columnsOf: (row) => (header ? undefined : format.columnsOf?.(row)) ?? known,
    headerLine: header ? `${quotedLine(header)}\n` : '',
    problem: problem === undefined ? undefined : unreadable(problem),
    asksLengths: unclear !== undefined,
    remedyFor: (row) => (header ? undefined : format.remedyFor?.(row)),
  }
}

/** The columns by name, and by position where no column has such a name. */
const indexesOf = memoize(
  (columns: Row): ReadonlyMap<string, number> =>
    new Map([
      ...columns.map((_name, index) => [positionName(index), index] as const),
      ...columns.map((name, index) => [name, index] as const),
    ]),
)

function partsOf(csv: CsvText, span: RowSpan, table: Table, read: ReadRow): ParsedCdr[] {
  const { asksLengths } = table
  const part = (found: Found, line: () => string) => ({
    found,
    text: () => table.headerLine + line(),
    line,
    ...(asksLengths && { asksLengths }),
  })
  const row = rowIn(csv, span, table)
  if ('kind' in row) return [part(row, () => lineIn(csv, span))]
  const indexes = indexesOf(row.columns)
  const field: Field = (name) => {
    const cell = row.cells[indexes.get(name) ?? -1] ?? ''
    return plainValue(ID_COLUMN.test(name) ? withoutBlanks(cell) : cell.trim())
  }
  return foundsBy(() => read(field, row.columns)).map((found) => part(found, () => quotedLine(row.cells)))
}

/** The line of a row that cannot be read, with commas if it is CSV: so is the header that it repeats. */
const lineIn = ({ text, dialect }: CsvText, span: RowSpan): string =>
  span.isCsv && dialect.delimiter !== ',' && !isTooWide(text, span, dialect)
    ? quotedLine(cellsInSpan(text, span, dialect))
    : text.slice(span.start, span.end)

/** The texts that databases export for a missing value. */
const NO_VALUES = new Set(['NULL', '\\N'])

const plainValue = (value: string): string => (NO_VALUES.has(value) ? '' : value)

/** Ids of calls and tags of dialogs, which a caller may choose. */
const ID_COLUMN = /(?:id|tag)$/i

/** A CDR has a time. A row without four digits in a row may be a header, so only its cells are looked at. */
const TIME_DIGITS = /\d{4}/

export function headerIn(
  { text, dialect }: CsvText,
  { start, end, isCsv }: RowSpan,
  { isHeader }: CsvFormat,
): Row | undefined {
  if (!isCsv || end - start > MAX_HEADER_CHARACTERS) return undefined
  const line = text.slice(start, end)
  if (TIME_DIGITS.test(line)) return undefined
  const cells = cellsInSpan(text, { start, end, next: end, isCsv }, dialect)
  return isHeader(cells) ? cells : undefined
}

/** The text of each part repeats the header, so a longer first row counts as data. */
const MAX_HEADER_CHARACTERS = 4000

/** A document's header and the offset of the row below; `undefined` for a document without one. */
export function findCsvHeader(
  { text, dialect }: CsvText,
  { isHeader, isForeignHeader = () => false }: CsvFormat,
): { cells: Row; next: number } | undefined {
  const [first] = spansOf(text.slice(0, 2 * MAX_HEADER_CHARACTERS), 0, dialect)
  if (!first?.isCsv || first.end - first.start > MAX_HEADER_CHARACTERS) return undefined
  const cells = cellsInSpan(text, first, dialect)
  return isHeader(cells) || isForeignHeader(cells) ? { cells, next: first.next } : undefined
}

/** A Unix time alone has nine digits. This keeps a million short lines as cheap as other documents. */
const MIN_ROW_CHARACTERS = 9

/** The cells of a row and their columns, or the reason why it is not a CDR. */
function rowIn(
  { text, dialect, isDamaged }: CsvText,
  span: RowSpan,
  { columnsOf, remedyFor, problem }: Table,
): { readonly cells: Row; readonly columns: Row } | Found {
  if (isDamaged && text.slice(span.start, span.end).includes(NUL)) return DAMAGED
  if (!span.isCsv) return /^\s*[[{]/.test(text.slice(span.start, span.start + 10)) ? IS_JSON : NOT_CSV
  if (span.end - span.start < MIN_ROW_CHARACTERS) return TOO_SHORT
  if (problem) return problem
  if (isTooWide(text, span, dialect)) return TOO_WIDE
  const cells = cellsInSpan(text, span, dialect)
  const columns = columnsOf(cells)
  if (columns?.length === cells.length) return { cells, columns }
  const remedy = remedyFor(cells)
  const what = columns ? `it has ${cells.length} columns, expected ${columns.length}` : NO_COLUMNS
  return unreadable(remedy === undefined ? what : `${what}: ${remedy}`)
}

/** The cells of half a million columns, and a message that names them, cost seconds. */
const MAX_COLUMNS = 1000

const TOO_WIDE = unreadable(`it has more than ${MAX_COLUMNS} columns`)

function isTooWide(text: string, { start, end }: RowSpan, { delimiter = ',' }: CsvText['dialect']): boolean {
  if (end - start < MAX_COLUMNS) return false
  const row = text.slice(start, end)
  let at = row.indexOf(delimiter)
  for (let count = 1; at >= 0 && count < MAX_COLUMNS; count += 1) at = row.indexOf(delimiter, at + 1)
  return at >= 0
}

const IS_JSON = unreadable('it is JSON: read it as json, or in the format of its switch')
const NOT_CSV = unreadable('its quotes are not valid CSV')
const TOO_SHORT = unreadable('it is too short to be a CDR')
const NO_COLUMNS = 'its columns are unknown'

/** A condition on the rows of a CSV: a column has a value, or has not. Upper and lower case are the same. */
interface Condition {
  readonly column: string
  readonly isNot: boolean
  readonly value: string
}

/** The condition that `column=value` or `column!=value` says; `undefined` for another text. */
export function conditionIn(text: string): Condition | undefined {
  const [, column, sign, value = ''] = /^([^=!]+)(!?=)(.*)$/s.exec(text) ?? []
  if (column === undefined) return undefined
  return { column: column.trim(), isNot: sign === '!=', value: value.trim().toLowerCase() }
}

const conditionsOf = ({ where = [] }: CdrText): Condition[] =>
  where.flatMap((text) => conditionIn(text) ?? [])

/**
 * Tells the rows to mediate from those to skip. A row is mediated if each column that conditions name has one
 * of their values, and none of the values that it must not have.
 */
export function rowChoice(document: CdrText): (field: Field) => boolean {
  const byColumn = [...Map.groupBy(conditionsOf(document), ({ column }) => column)]
  return (field) =>
    byColumn.every(([column, conditions]) => {
      const value = field(column).toLowerCase()
      const wanted = conditions.filter(({ isNot }) => !isNot)
      const isWanted = wanted.length === 0 || wanted.some((condition) => condition.value === value)
      return isWanted && !conditions.some((condition) => condition.isNot && condition.value === value)
    })
}

/** A condition on a missing column would skip all rows, or none. */
export function missingCondition(
  document: CdrText,
  columns: readonly string[],
  noun = 'column',
): string | undefined {
  const conditions = conditionsOf(document)
  const double = conditions.find(({ column }) => positionsOf(columns, column).length > 1)
  if (double) {
    const positions = positionsOf(columns, double.column).map(positionName)
    return `the column ${quotedValue(double.column)} occurs ${positions.length} times: name one by its position in --where, as ${positions.join(' or ')}`
  }
  const missing = conditions.find(({ column }) => !hasColumn(columns, column))
  return (
    missing &&
    `no ${noun} is ${quotedValue(missing.column)}, the ${noun}s are ${quotedNames(columns)}: correct --where`
  )
}
