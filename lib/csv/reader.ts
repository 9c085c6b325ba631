import { pipeline, Readable } from 'node:stream'
import { CsvError, type Options, parse } from 'csv-parse'
import { parse as parseAtOnce } from 'csv-parse/sync'

/** A row of CSV that is not blank. */
export interface CsvRow {
  /** The line that the row begins in, from 1. */
  readonly line: number
  readonly cells: readonly string[]
  /** The row as it was written, behind any blank lines. */
  readonly raw: string
}

/** How CSV differs from RFC 4180. With `relax_quotes` a quote within a cell is a character. */
export type CsvDialect = Pick<Options, 'delimiter' | 'relax_quotes'>

/** In characters. It is larger than any row that an item could hold, and small enough for memory. */
const LARGEST_RECORD = 2_000_000

const COMMON: Options = {
  relax_column_count: true,
  skip_empty_lines: true,
  record_delimiter: ['\r\n', '\n'],
  max_record_size: LARGEST_RECORD,
}

/**
 * Reads the rows of CSV text, the header among them. Quotes that do not pair up refuse the whole text, because it is
 * unknown where a row ends from there on: the reader throws what `refuse` makes of the last line that is known.
 */
export async function* readCsv(
  text: Iterable<string> | AsyncIterable<string>,
  refuse: (line: number, cause: CsvError) => Error,
  dialect: CsvDialect = {},
): AsyncGenerator<CsvRow> {
  const parser = parse({ ...COMMON, ...dialect, raw: true })
  pipeline(Readable.from(text), parser, () => {})
  let linesBefore = 0
  try {
    for await (const { record, raw } of parser as AsyncIterable<{ record: string[]; raw: string }>) {
      yield { line: linesBefore + lineEnds(/^[\r\n]*/.exec(raw)?.[0]) + 1, cells: record, raw }
      linesBefore += lineEnds(raw)
    }
  } catch (error) {
    throw error instanceof CsvError ? refuse(linesBefore, error) : error
  }
}

/** Counts line ends. In `raw` csv-parse leaves the CR of a record's CRLF; its own count takes each CRLF twice. */
const lineEnds = (raw = ''): number => raw.match(/\r\n|\r|\n/g)?.length ?? 0

/** The cells of a row. `NULL` without quotes, MySQL's word for no value, becomes a blank cell. */
export function withoutNulls({ cells, raw }: CsvRow): readonly string[] {
  if (!cells.includes('NULL')) return cells
  return raw.includes('"NULL"') ? quotedKept(raw) : cells.map((cell) => (cell === 'NULL' ? '' : cell))
}

/**
 * Parses the row again, since only a parser knows which of its cells stood in quotes. Without its line end: in `raw`
 * csv-parse leaves half of a CRLF, which no quote may precede.
 */
function quotedKept(raw: string): readonly string[] {
  const cast: Options['cast'] = (cell, { quoting }) => (cell === 'NULL' && !quoting ? '' : cell)
  const [cells = []] = parseAtOnce(raw.replace(/\r?\n?$/, ''), { ...COMMON, cast }) as string[][]
  return cells
}
