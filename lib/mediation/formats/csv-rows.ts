import { parse } from 'csv-parse/sync'
import { type DocumentPart, type Found, foundBy, unreadable } from './cdr.ts'
import type { Field } from './fields.ts'

export type Row = readonly string[]

export interface CsvFormat {
  /** The columns of a document without a header. */
  readonly columns: readonly string[] | undefined
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
  const partOf = createPartReader(header ? `${lineOf(header.cells)}\n` : '', columns, read)
  for (const batch of batchesOf(spansOf(text, header?.next ?? 0))) yield* partsOf(text, batch, partOf)
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
  const [first] = spansOf(text.slice(0, 2 * MAX_HEADER), 0)
  if (!first?.isCsv || first.end - first.start > MAX_HEADER) return undefined
  const [cells = []] = cellsOf(text, [first])
  return isHeader(cells) ? { cells, next: first.next } : undefined
}

/** A row of a CSV document, or a line that is none. */
interface RowSpan {
  readonly start: number
  readonly end: number
  /** The place behind its line end. */
  readonly next: number
  readonly isCsv: boolean
  readonly cells: number
}

const [LINE_FEED, CARRIAGE_RETURN, QUOTE, COMMA] = [10, 13, 34, 44]

/**
 * Finds the rows without reading their cells. Each character is looked at twice at most: a quote that is never closed ends
 * at the next line that has an odd number of them.
 */
export function* spansOf(text: string, from: number): Generator<RowSpan> {
  let start = from
  while (start < text.length) {
    const span = spanAt(text, behindMarks(text, start))
    if (span.end > span.start) yield span
    start = span.next
  }
}

const BYTE_ORDER_MARK = 0xfeff

/** Files that begin with a byte order mark are also put together. */
function behindMarks(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) === BYTE_ORDER_MARK) at += 1
  return at
}

function spanAt(text: string, start: number): RowSpan {
  let [at, cells] = [endOfCell(text, start), 1]
  while (text.charCodeAt(at) === COMMA) {
    at = endOfCell(text, at + 1)
    cells += 1
  }
  const isCsv = at !== BROKEN
  const end = isCsv ? at : endOfLine(text, start)
  return { start, end, next: behindLineEnd(text, end), isCsv, cells }
}

const BROKEN = -1

function endOfCell(text: string, start: number): number {
  if (text.charCodeAt(start) === QUOTE) return endOfQuoted(text, start + 1)
  let at = start
  while (isPlain(text.charCodeAt(at))) at += 1
  return text.charCodeAt(at) === QUOTE ? BROKEN : at
}

/** The code behind the end of the text is NaN, which no comparison finds. */
const isPlain = (code: number): boolean =>
  code > COMMA || (code >= 0 && code !== COMMA && code !== QUOTE && !isLineEnd(code))

const isLineEnd = (code: number): boolean => code === LINE_FEED || code === CARRIAGE_RETURN

function endOfQuoted(text: string, start: number): number {
  let quote = text.indexOf('"', start)
  while (quote !== -1 && text.charCodeAt(quote + 1) === QUOTE) quote = text.indexOf('"', quote + 2)
  const end = quote + 1
  const code = text.charCodeAt(end)
  const isEnd = code === COMMA || isLineEnd(code) || end === text.length
  return quote !== -1 && isEnd ? end : BROKEN
}

function endOfLine(text: string, start: number): number {
  let at = start
  while (at < text.length && !isLineEnd(text.charCodeAt(at))) at += 1
  return at
}

function behindLineEnd(text: string, end: number): number {
  const isPair = text.charCodeAt(end) === CARRIAGE_RETURN && text.charCodeAt(end + 1) === LINE_FEED
  return end + (isPair ? 2 : 1)
}

/** Rows that are read at once, and about as many characters of them. */
const BATCH_ROWS = 1000
const BATCH_CHARACTERS = 200_000

function* batchesOf(spans: Iterable<RowSpan>): Generator<RowSpan[]> {
  let [batch, characters]: [RowSpan[], number] = [[], 0]
  for (const span of spans) {
    batch.push(span)
    characters += span.end - span.start
    if (batch.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue
    yield batch
    ;[batch, characters] = [[], 0]
  }
  if (batch.length > 0) yield batch
}

interface PartReader {
  /** Whether the row's cells are needed to tell what it is. */
  readonly needsCells: (span: RowSpan) => boolean
  readonly ofRow: (cells: Row) => DocumentPart
  readonly ofLine: (span: RowSpan, line: string) => DocumentPart
}

function* partsOf(text: string, batch: readonly RowSpan[], reader: PartReader): Generator<DocumentPart> {
  const rows = cellsOf(text, batch.filter(reader.needsCells)).values()
  for (const span of batch) {
    const cells = reader.needsCells(span) ? rows.next().value : undefined
    yield cells ? reader.ofRow(cells) : reader.ofLine(span, text.slice(span.start, span.end))
  }
}

/** A Unix time has nine digits: a document of a million lines without one costs no more than another one. */
const MIN_ROW = 9

function createPartReader(
  header: string,
  columns: readonly string[] | undefined,
  read: (field: Field) => Found,
): PartReader {
  const places = new Map(columns?.map((name, place) => [name, place]))
  const part = (found: Found, line: () => string) => ({ found, text: () => header + line(), line })

  const refusal = (span: RowSpan): Found => {
    if (!span.isCsv) return NOT_CSV
    if (span.end - span.start < MIN_ROW) return TOO_SHORT
    return columns ? unreadable(`it has ${span.cells} columns, expected ${columns.length}`) : NO_COLUMNS
  }
  const ofRow = (row: Row) => {
    const field: Field = (name) => row[places.get(name) ?? -1] ?? ''
    return part(
      foundBy(() => read(field)),
      () => lineOf(row),
    )
  }
  return {
    needsCells: ({ isCsv, cells, start, end }) =>
      isCsv && cells === columns?.length && end - start >= MIN_ROW,
    ofRow,
    ofLine: (span, line) => part(refusal(span), () => line),
  }
}

const NOT_CSV = unreadable('its quotes are not those of CSV')
const TOO_SHORT = unreadable('it is too short to be a CDR')
const NO_COLUMNS = unreadable('nothing says what its columns are')

/** The cells of rows that are CSV. Rows without quotes are as good as read; the parser gets the others, all at once. */
function cellsOf(text: string, spans: readonly RowSpan[]): Row[] {
  const lines = spans.map(({ start, end }) => text.slice(start, end))
  const quoted = lines.filter((line) => line.includes('"'))
  const rows: Iterator<Row, undefined> = (parse(quoted.join('\n'), OPTIONS) as Row[]).values()
  return lines.map((line) => (line.includes('"') ? (rows.next().value ?? []) : line.split(',')))
}

const OPTIONS = { record_delimiter: '\n', relax_column_count: true } as const

const lineOf = (row: Row): string => `"${row.map(doubled).join('","')}"`

const doubled = (cell: string): string => (cell.includes('"') ? cell.replaceAll('"', '""') : cell)
