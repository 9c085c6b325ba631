/** How CSV differs from RFC 4180. */
export interface CsvDialect {
  /** One character. */
  readonly delimiter?: string
  /** Whether a quote within a cell is a character. */
  readonly relaxQuotes?: boolean
  /** The word for no value: without quotes it is a blank cell. */
  readonly noValue?: string
}

/** A row of CSV text that is not blank, or a line that is not CSV. */
export interface RowSpan {
  readonly start: number
  readonly end: number
  /** The place behind its line end. */
  readonly next: number
  readonly isCsv: boolean
}

const [LINE_FEED, CARRIAGE_RETURN, QUOTE] = [10, 13, 34]

/**
 * Finds the rows of CSV text without reading their cells; a line ends in LF, CR or both. A line whose quotes are not those
 * of CSV ends at its line end. The work grows with the text: a quote that is never closed ends at the next line that has
 * an odd number of them.
 */
export function* spansOf(text: string, from = 0, dialect: CsvDialect = {}): Generator<RowSpan> {
  let place = from
  while (place < text.length) {
    const start = behindMarks(text, place)
    const rowEnd = endOfRow(text, start, dialect)
    const isCsv = rowEnd !== BROKEN
    const end = isCsv ? rowEnd : endOfLine(text, start)
    place = behindLineEnd(text, end)
    if (end > start) yield { start, end, next: place, isCsv }
  }
}

const BROKEN = -1

const BYTE_ORDER_MARK = 0xfeff

/** Files that begin with a byte order mark are also put together. */
function behindMarks(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) === BYTE_ORDER_MARK) at += 1
  return at
}

function endOfLine(text: string, start: number): number {
  let at = start
  while (isWithinLine(text.charCodeAt(at))) at += 1
  return at
}

/** The code behind the end of the text is NaN, which is within no line. */
const isWithinLine = (code: number): boolean =>
  code > CARRIAGE_RETURN || (code >= 0 && code !== LINE_FEED && code !== CARRIAGE_RETURN)

function behindLineEnd(text: string, end: number): number {
  const isPair = text.charCodeAt(end) === CARRIAGE_RETURN && text.charCodeAt(end + 1) === LINE_FEED
  return end + (isPair ? 2 : 1)
}

/** Most rows have no quotes: their delimiters are not looked for. */
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
  let at = isQuoted ? behindClosingQuote(text, start) : start
  if (relaxQuotes || !isQuoted) at = endOfPlain(text, at, delimiter, relaxQuotes)
  return relaxQuotes || !isWithinCell(text.charCodeAt(at), delimiter) ? at : BROKEN
}

function endOfPlain(text: string, start: number, delimiter: number, relaxQuotes: boolean): number {
  let at = start
  while (isWithinCell(text.charCodeAt(at), delimiter) && (relaxQuotes || text.charCodeAt(at) !== QUOTE))
    at += 1
  return at
}

const isWithinCell = (code: number, delimiter: number): boolean => code !== delimiter && isWithinLine(code)

function behindClosingQuote(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote !== -1 && text.charCodeAt(quote + 1) === QUOTE) quote = text.indexOf('"', quote + 2)
  return quote === -1 ? BROKEN : quote + 1
}

/** The cells of a row that is CSV. */
export function cellsOf(text: string, { start, end }: RowSpan, dialect: CsvDialect = {}): string[] {
  const { delimiter = ',', noValue } = dialect
  const row = text.slice(start, end)
  if (row.includes('"')) return quotedCells(row, dialect)
  const cells = row.split(delimiter)
  return noValue === undefined ? cells : cells.map((cell) => plainValue(cell, noValue))
}

function quotedCells(row: string, { delimiter = ',', relaxQuotes = false, noValue }: CsvDialect): string[] {
  const cells: string[] = []
  for (let at = 0; at <= row.length; ) {
    const end = endOfCell(row, at, delimiter.charCodeAt(0), relaxQuotes)
    const cell = row.slice(at, end)
    cells.push(cell.startsWith('"') ? quotedValue(cell) : plainValue(cell, noValue))
    at = end + 1
  }
  return cells
}

const plainValue = (cell: string, noValue: string | undefined): string => (cell === noValue ? '' : cell)

/** With relaxed quotes a text may follow the closing quote: then the quotes are part of the cell. */
function quotedValue(cell: string): string {
  const behindQuotes = behindClosingQuote(cell, 0)
  const inQuotes = cell.slice(1, behindQuotes - 1).replaceAll('""', '"')
  return behindQuotes === cell.length ? inQuotes : `"${inQuotes}"${cell.slice(behindQuotes)}`
}
