import { asText } from '#lib/domain/formula.ts'

/** A line of CSV as RFC 4180 has it, with its line end, of a report that people open in a spreadsheet. */
export const reportLine = (cells: readonly string[]): string =>
  `${cells.map(asText).map(quoted).join(',')}\r\n`

/** `NULL` without quotes would be no value. */
const quoted = (cell: string): string =>
  /[",\r\n]|^NULL$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
