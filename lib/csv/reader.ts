/** The differences of a CSV from RFC 4180. */
export interface CsvDialect {
  /** One character. */
  readonly delimiter?: string
  /** Treats a quote inside a cell as a character. */
  readonly relaxQuotes?: boolean
  /** The word for no value, such as NULL. Without quotes it is a blank cell. */
  readonly noValue?: string
}

/** The offsets of a row that is not blank, or of a line that is not CSV. */
export interface RowSpan {
  readonly start: number
  readonly end: number
  /** The offset after the line end. */
  readonly next: number
  readonly isCsv: boolean
}

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [10, 13, 34]

/**
 * Finds the rows of CSV text without reading their cells. A line ends in LF, CR or both. A line with invalid
 * quotes ends at its line end. The time is proportional to the text. An unclosed quote ends at the next line
 * with an odd number of quotes.
 */
export function* spansOf(text: string, from = 0, dialect: CsvDialect = {}): Generator<RowSpan> {
  let index = from
  while (index < text.length) {
    const start = afterMarks(text, index)
    const rowEnd = endOfRow(text, start, dialect)
    const isCsv = rowEnd !== BROKEN
    const end = isCsv ? rowEnd : endOfLine(text, start)
    index = afterLineEnd(text, end)
    if (end > start) yield { start, end, next: index, isCsv }
  }
}

const BROKEN = -1

const BYTE_ORDER_MARK = 0xfeff

/** Skips byte order marks, also inside the text: concatenated files have one at each start. */
function afterMarks(text: string, start: number): number {
  let index = start
  while (text.charCodeAt(index) === BYTE_ORDER_MARK) index += 1
  return index
}

function endOfLine(text: string, start: number): number {
  let index = start
  while (isWithinLine(text.charCodeAt(index))) index += 1
  return index
}

/** After the end of the text charCodeAt returns NaN, which is within no line. */
const isWithinLine = (code: number): boolean =>
  code > CARRIAGE_RETURN || (code >= 0 && code !== LINE_FEED && code !== CARRIAGE_RETURN)

function afterLineEnd(text: string, end: number): number {
  const isPair = text.charCodeAt(end) === CARRIAGE_RETURN && text.charCodeAt(end + 1) === LINE_FEED
  return end + (isPair ? 2 : 1)
}

/** The end of a row, or BROKEN. Most rows have no quotes, and their delimiters do not matter. */
function endOfRow(text: string, start: number, { delimiter = ',', relaxQuotes = false }: CsvDialect): number {
  let end = start
  while (isUnquoted(text.charCodeAt(end))) end += 1
  if (text.charCodeAt(end) !== QUOTE) return end
  const delimiterCode = delimiter.charCodeAt(0)
  end = endOfCell(text, start, delimiterCode, relaxQuotes)
  while (text.charCodeAt(end) === delimiterCode) end = endOfCell(text, end + 1, delimiterCode, relaxQuotes)
  return end
}

const isUnquoted = (code: number): boolean => code > QUOTE || (code !== QUOTE && isWithinLine(code))

function endOfCell(text: string, start: number, delimiter: number, relaxQuotes: boolean): number {
  const isQuoted = text.charCodeAt(start) === QUOTE
  let index = isQuoted ? afterClosingQuote(text, start) : start
  if (relaxQuotes || !isQuoted) index = endOfPlain(text, index, delimiter, relaxQuotes)
  return relaxQuotes || !isWithinCell(text.charCodeAt(index), delimiter) ? index : BROKEN
}

function endOfPlain(text: string, start: number, delimiter: number, relaxQuotes: boolean): number {
  let index = start
  while (isWithinCell(text.charCodeAt(index), delimiter) && (relaxQuotes || text.charCodeAt(index) !== QUOTE))
    index += 1
  return index
}

const isWithinCell = (code: number, delimiter: number): boolean => code !== delimiter && isWithinLine(code)

function afterClosingQuote(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote !== -1 && text.charCodeAt(quote + 1) === QUOTE) quote = text.indexOf('"', quote + 2)
  return quote === -1 ? BROKEN : quote + 1
}

/** The cells of a row; its span must be valid CSV. */
export function cellsInSpan(text: string, { start, end }: RowSpan, dialect: CsvDialect = {}): string[] {
  const { delimiter = ',', noValue } = dialect
  const row = text.slice(start, end)
  if (row.includes('"')) return quotedCells(row, dialect)
  const cells = row.split(delimiter)
  return noValue === undefined ? cells : cells.map((cell) => plainValue(cell, noValue))
}

function quotedCells(row: string, { delimiter = ',', relaxQuotes = false, noValue }: CsvDialect): string[] {
  const cells: string[] = []
  for (let index = 0; index <= row.length; ) {
    const end = endOfCell(row, index, delimiter.charCodeAt(0), relaxQuotes)
    const cell = row.slice(index, end)
    cells.push(cell.startsWith('"') ? quotedValue(cell) : plainValue(cell, noValue))
    index = end + 1
  }
  return cells
}

const plainValue = (cell: string, noValue: string | undefined): string => (cell === noValue ? '' : cell)

/** With relaxed quotes, text may follow the closing quote: then the quotes are part of the cell. */
function quotedValue(cell: string): string {
  const afterQuotes = afterClosingQuote(cell, 0)
  const inQuotes = cell.slice(1, afterQuotes - 1).replaceAll('""', '"')
  return afterQuotes === cell.length ? inQuotes : `"${inQuotes}"${cell.slice(afterQuotes)}`
}

export interface CsvRow {
  /** The line in which the row starts, counted from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/** Larger than any row that an item could hold, and small enough for memory. */
const MAX_ROW_CHARACTERS = 2_000_000

/**
 * Reads the rows of CSV text, including the header. Unbalanced quotes refuse the whole text, because the end
 * of every further row is unknown: the reader throws the error that `refuse` returns for the last known line.
 */
export async function* readCsv(
  text: Iterable<string> | AsyncIterable<string>,
  refuse: (line: number) => Error,
  dialect: CsvDialect = {},
): AsyncGenerator<CsvRow> {
  const unread = { text: '', linesBefore: 0 }
  for await (const part of text) {
    unread.text += part
    yield* takeRows(unread, false, refuse, dialect)
    if (unread.text.length > MAX_ROW_CHARACTERS) throw refuse(unread.linesBefore)
  }
  yield* takeRows(unread, true, refuse, dialect)
}

interface Unread {
  text: string
  linesBefore: number
}

/** Returns whether a row is complete, so that no further text can change it. */
const isComplete = ({ isCsv, next }: RowSpan, { text }: Unread): boolean => isCsv && next < text.length

/** Takes the complete rows from the unread text; all rows if it is the last text. */
function* takeRows(
  unread: Unread,
  isLast: boolean,
  refuse: (line: number) => Error,
  dialect: CsvDialect,
): Generator<CsvRow> {
  let from = 0
  for (const span of spansOf(unread.text, 0, dialect)) {
    if (!isLast && !isComplete(span, unread)) break
    if (!span.isCsv || span.end - span.start > MAX_ROW_CHARACTERS) throw refuse(unread.linesBefore)
    const line = unread.linesBefore + countLines(unread.text.slice(from, span.start)) + 1
    yield { line, cells: cellsInSpan(unread.text, span, dialect) }
    unread.linesBefore += countLines(unread.text.slice(from, span.next))
    from = span.next
  }
  unread.text = unread.text.slice(from)
}

const countLines = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0

const DELIMITERS = [',', ';', '\t', '|'] as const

/** The header is within the first lines: titles, addresses and dates may precede it. */
export const HEADER_MAX_LINE = 50

/** The delimiter that a first line such as `sep=;` names, and the offset after that line. */
export function statedDelimiter(
  text: string,
): { readonly delimiter: string; readonly next: number } | undefined {
  const [line, delimiter] = /^\ufeff?"?sep=(.)"?(?:\r\n?|\n|$)/i.exec(text) ?? []
  return line === undefined || delimiter === undefined ? undefined : { delimiter, next: line.length }
}

/**
 * Finds the delimiter under which a row of the first lines has the most known cells, as `countKnown` counts
 * them. If there are several, the one that gives the most rows the same number of cells wins.
 */
export function delimiterOf(text: string, countKnown: (cells: readonly string[]) => number): string {
  const stated = statedDelimiter(text)
  if (stated) return stated.delimiter
  const start = text.slice(0, SAMPLE_CHARACTERS)
  const candidates = DELIMITERS.filter((delimiter) => start.includes(delimiter))
  if (candidates.length < 2) return candidates[0] ?? ','
  let best = { delimiter: ',', fitness: 0 }
  for (const delimiter of candidates) {
    const rows = firstRows(start, text.length > start.length, delimiter)
    const fitness = Math.max(0, ...rows.map(countKnown)) * (HEADER_MAX_LINE + 1) + rowsAlike(rows)
    if (fitness > best.fitness) best = { delimiter, fitness }
  }
  return best.delimiter
}

const SAMPLE_CHARACTERS = 100_000

/** The last row of a text that continues may be cut, so it counts only if it is the first one. */
function firstRows(text: string, hasMore: boolean, delimiter: string): string[][] {
  const dialect = { delimiter, relaxQuotes: true }
  const rows: string[][] = []
  for (const span of spansOf(text, 0, dialect)) {
    const isCut = hasMore && span.next >= text.length && rows.length > 0
    if (rows.length === HEADER_MAX_LINE || isCut) break
    if (span.isCsv) rows.push(cellsInSpan(text, span, dialect))
  }
  return rows
}

/** Counts the rows of the most frequent width, of at least two cells. */
function rowsAlike(rows: readonly (readonly string[])[]): number {
  const counts = new Map<number, number>()
  for (const { length } of rows) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}
