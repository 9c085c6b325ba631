import { cellsInSpan, spansOf } from './reader.ts'

const DELIMITERS = [',', ';', '\t', '|'] as const

/** The header is within the first lines: titles, addresses and dates may stand above it. */
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
 * them. Of several such delimiters, the one that gives the most rows the same number of cells wins.
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
