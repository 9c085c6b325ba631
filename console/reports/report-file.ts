import { csvLine } from '#lib/csv/writer.ts'
import { type MeasureOfDays, percentChange } from '../overview/figures.ts'
import type { ReportColumn } from './report-columns.ts'
import type { ShownReport, ShownReportRow } from './report-rows.ts'

export interface ReportFile {
  readonly way: string
  readonly columns: readonly ReportColumn[]
  readonly currency: string
  readonly compared: MeasureOfDays | undefined
}

/** The report as CSV: the lines that are shown and their total, with exact amounts. */
export function csvOf(
  { rows, total }: ShownReport,
  { way, columns, currency, compared }: ReportFile,
): string {
  const heading = [
    way,
    ...columns.map(({ name, isMoney }) => (isMoney ? `${name}_${currency}` : name)),
    ...(compared ? [`${compared.name}_before`, `${compared.name}_change_percent`] : []),
  ]
  const cells = (row: ShownReportRow) => [
    row.name,
    ...columns.map(({ plain }) => plain(row.figures)),
    ...(compared ? comparison(row, compared) : []),
  ]
  return [heading, ...rows.map(cells), cells(total)].map((line) => csvLine(line)).join('')
}

const MOST_DECIMALS = 4

function comparison({ figures, before }: ShownReportRow, { value }: MeasureOfDays): string[] {
  const earlier = before && value(before)
  const change = percentChange(value(figures), earlier)
  return [
    earlier === undefined ? '' : String(Number(earlier.toFixed(MOST_DECIMALS))),
    change === undefined ? '' : change.toFixed(1),
  ]
}
