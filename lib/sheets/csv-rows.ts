import { CsvError, parse } from 'csv-parse/sync'
import { fromText } from '#lib/domain/formula.ts'
import { SheetError } from './sheet-error.ts'
import { refuseMoreRows, type SheetRow } from './sheet-row.ts'

export const DELIMITERS = [',', ';', '\t', '|'] as const

/** The rows of CSV text that hold something. Throws SheetError when quotes do not pair up. */
export function csvRows(text: string, delimiter: string): SheetRow[] {
  const rows: SheetRow[] = []
  let line = 1
  for (const cells of records(text, delimiter)) {
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells: cells.map(fromText) })
    refuseMoreRows(rows.length)
    line += 1 + lineEndsIn(cells)
  }
  return rows
}

/** Blank lines are records too, so that lines can be counted. A quote within a cell is a character. */
function records(text: string, delimiter: string): string[][] {
  try {
    return parse(withOneLineEnd(text), { delimiter, relax_column_count: true, relax_quotes: true })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new SheetError('The quotes of the sheet do not pair up', { cause: error })
  }
}

const withOneLineEnd = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)

function lineEndsIn(cells: readonly string[]): number {
  let count = 0
  for (const cell of cells) if (cell.includes('\n')) count += cell.split('\n').length - 1
  return count
}

/** The first lines, for finding out how a sheet is written. */
export function firstLines(text: string, count: number): string {
  const lines = withOneLineEnd(text.slice(0, MOST_LOOKED_AT)).split('\n')
  return lines.slice(0, Math.min(count, Math.max(1, lines.length - 1))).join('\n')
}

const MOST_LOOKED_AT = 100_000
