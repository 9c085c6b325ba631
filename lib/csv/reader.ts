import { type CsvDialect, cellsOf, type RowSpan, spansOf } from './rows.ts'

/** A row of CSV that is not blank. */
export interface CsvRow {
  /** The line that the row begins in, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/** In characters. It is larger than any row that an item could hold, and small enough for memory. */
const LARGEST_ROW = 2_000_000

/**
 * Reads the rows of CSV text, the header among them. Quotes that do not pair up refuse the whole text, because it is
 * unknown where a row ends from there on: the reader throws what `refuse` makes of the last line that is known.
 */
export async function* readCsv(
  text: Iterable<string> | AsyncIterable<string>,
  refuse: (line: number) => Error,
  dialect: CsvDialect = {},
): AsyncGenerator<CsvRow> {
  const unread = { text: '', linesBefore: 0 }
  for await (const part of text) {
    unread.text += part
    yield* rowsOf(unread, false, refuse, dialect)
    if (unread.text.length > LARGEST_ROW) throw refuse(unread.linesBefore)
  }
  yield* rowsOf(unread, true, refuse, dialect)
}

interface Unread {
  text: string
  linesBefore: number
}

/** Whether no further text can change a row. */
const isWhole = ({ isCsv, next }: RowSpan, { text }: Unread): boolean => isCsv && next < text.length

/** Takes rows from the unread text: all of them when it is the last, otherwise those that are whole. */
function* rowsOf(
  unread: Unread,
  isLast: boolean,
  refuse: (line: number) => Error,
  dialect: CsvDialect,
): Generator<CsvRow> {
  let from = 0
  for (const span of spansOf(unread.text, 0, dialect)) {
    if (!isLast && !isWhole(span, unread)) break
    if (!span.isCsv || span.end - span.start > LARGEST_ROW) throw refuse(unread.linesBefore)
    const line = unread.linesBefore + countLines(unread.text.slice(from, span.start)) + 1
    yield { line, cells: cellsOf(unread.text, span, dialect) }
    unread.linesBefore += countLines(unread.text.slice(from, span.next))
    from = span.next
  }
  unread.text = unread.text.slice(from)
}

const countLines = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0
