import { escapeFormula } from '#lib/base/text.ts'

/** A line of CSV (RFC 4180) with its line end. Formulas are escaped, so that no spreadsheet runs them. */
export const csvLine = (cells: readonly string[], end: '\r\n' | '\n' = '\r\n'): string =>
  `${cells.map(escapeFormula).map(quotedAsNeeded).join(',')}${end}`

/** Also quotes `NULL`, which means no value, and byte order marks, which a row's reader skips. */
const quotedAsNeeded = (cell: string): string => (/[",\r\n\ufeff]|^NULL$/.test(cell) ? quoted(cell) : cell)

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

/** A line of CSV without its line end, with every cell in quotes. */
export const quotedLine = (cells: readonly string[]): string => cells.map(quoted).join(',')

export interface RefusedRow {
  readonly line: number
  readonly reason: string
  readonly cells: Readonly<Record<string, string>>
}

export const refusedHeader = (columns: readonly string[]): string => csvLine(['line', 'reason', ...columns])

export const refusedLine = ({ line, reason, cells }: RefusedRow, columns: readonly string[]): string =>
  csvLine([String(line), reason, ...columns.map((name) => cells[name] ?? '')])
