import { asText } from '#lib/domain/formula.ts'

/** A line of CSV as RFC 4180 has it, with its line end, of a report that people open in a spreadsheet. */
export const reportLine = (cells: readonly string[]): string =>
  `${cells.map(asText).map(quoted).join(',')}\r\n`

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
