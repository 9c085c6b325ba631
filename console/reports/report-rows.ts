import type { FiguresOfDay, TrafficAnswer } from '#lib/api/console/answers/calls.ts'
import { subtract } from '#lib/base/money.ts'
import { csvLine } from '#lib/csv/writer.ts'
import {
  type Figures,
  type MeasureOfDays,
  NO_CALLS,
  percentChange,
  sumOfFigures,
} from '../overview/figures.ts'
import type { ReportColumn } from './report-columns.ts'

/** A line of a report, with the same group in the period before, if that is compared. */
export interface ShownReportRow {
  readonly name: string
  readonly customer?: number | undefined
  readonly figures: Figures
  readonly before?: Figures | undefined
}

export interface ShownReport {
  readonly rows: readonly ShownReportRow[]
  readonly total: ShownReportRow
}

/** How a report divides calls: by time, open to everybody, and by what only the operator sees. */
export const WAYS = [
  ['day', 'Day'],
  ['month', 'Month'],
  ['customer', 'Customer'],
  ['destination', 'Destination'],
  ['country', 'Country'],
  ['provider', 'Provider'],
  ['device', 'Device'],
  ['hour', 'Hour of the day'],
  ['disposition', 'Result'],
  ['hangupcause', 'Cause'],
  ['origin', 'Origin of the caller'],
] as const

export type Way = (typeof WAYS)[number][0]

export const isByTime = (way: Way): boolean => way === 'day' || way === 'month'

const minus = (one: Figures, other: Figures): Figures => ({
  attempts: one.attempts - other.attempts,
  answered: one.answered - other.answered,
  seconds: one.seconds - other.seconds,
  revenue: subtract(one.revenue, other.revenue),
  cost: subtract(one.cost, other.cost),
  unknownCost: one.unknownCost - other.unknownCost,
  unknownRevenue: subtract(one.unknownRevenue, other.unknownRevenue),
})

/** A report of the sums of the API. `before` is compared only if it is given. */
export function reportOf(way: Way, traffic: TrafficAnswer, before?: TrafficAnswer): ShownReport {
  const total = totalOf(traffic.days, before && (isByTime(way) ? traffic.before : before.days))
  if (way === 'day') return { total, rows: rowsByDay(traffic, before !== undefined) }
  if (way === 'month') return { total, rows: rowsByMonth(traffic.days) }
  return { total, rows: rowsByGroup(way, traffic, before) }
}

const totalOf = (
  days: readonly FiguresOfDay[],
  before: readonly FiguresOfDay[] | undefined,
): ShownReportRow => ({
  name: 'Total',
  figures: sumOfFigures(days),
  before: before && sumOfFigures(before),
})

/** Each day is compared with the day one length of the range earlier. */
const rowsByDay = ({ days, before }: TrafficAnswer, isCompared: boolean): ShownReportRow[] =>
  days.map(({ day, ...figures }, index) => ({
    name: day,
    figures,
    before: isCompared ? before[index] : undefined,
  }))

const MONTH_CHARACTERS = 7

function rowsByMonth(days: readonly FiguresOfDay[]): ShownReportRow[] {
  const months = Map.groupBy(days, ({ day }) => day.slice(0, MONTH_CHARACTERS))
  return [...months].map(([name, ofMonth]) => ({ name, figures: sumOfFigures(ofMonth) }))
}

function rowsByGroup(way: Way, traffic: TrafficAnswer, before: TrafficAnswer | undefined): ShownReportRow[] {
  const earlier = new Map(before?.groups.map((group) => [keyOf(group), group]))
  const rows = traffic.groups.map((group) => ({
    name: group.name || (way === 'origin' ? 'every caller' : 'unknown'),
    customer: way === 'customer' ? (group.id ?? undefined) : undefined,
    figures: group,
    before: before && (earlier.get(keyOf(group)) ?? NO_CALLS),
  }))
  const ordered = way === 'hour' ? rows.sort((one, other) => one.name.localeCompare(other.name)) : rows
  const others = minus(sumOfFigures(traffic.days), sumOfFigures(traffic.groups))
  return others.attempts > 0 ? [...ordered, { name: 'all others', figures: others }] : ordered
}

const keyOf = ({ id, name }: TrafficAnswer['groups'][number]): string => (id === null ? name : String(id))

interface ReportFile {
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
