import { escapeFormula } from '#lib/domain/text.ts'

/** A line of CSV as RFC 4180 has it, with its line end. A spreadsheet that opens it calculates nothing. */
export const csvLine = (cells: readonly string[]): string =>
  `${cells.map(escapeFormula).map(quotedAsNeeded).join(',')}\r\n`

/** `NULL` without quotes would be no value, and a byte order mark at the beginning of a row is skipped. */
const quotedAsNeeded = (cell: string): string => (/[",\r\n\ufeff]|^NULL$/.test(cell) ? quoted(cell) : cell)

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

/** A line of CSV with every cell in quotes, without its line end. */
export const quotedLine = (cells: readonly string[]): string => cells.map(quoted).join(',')

/** A row that an import refused, with its cells by column. */
export interface RefusedRow {
  readonly line: number
  readonly reason: string
  readonly cells: Readonly<Record<string, string>>
}

/** The header of a list of refused rows. */
export const refusedHeader = (columns: readonly string[]): string => csvLine(['line', 'reason', ...columns])

export const refusedLine = ({ line, reason, cells }: RefusedRow, columns: readonly string[]): string =>
  csvLine([String(line), reason, ...columns.map((name) => cells[name] ?? '')])
