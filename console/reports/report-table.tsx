import type { TrafficAnswer } from '#lib/api/console/answers/traffic.ts'
import { download } from '../download.ts'
import { BLANK, dash } from '../format.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { type MeasureOfDays, percentChange, writeChange } from '../overview/figures.ts'
import type { DayRange } from '../range.ts'
import { Table, type TableColumn } from '../tables/table.tsx'
import type { TableRow } from '../tables/table-rows.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { COLUMNS } from './report-columns.ts'
import { csvOf, type ReportFile } from './report-file.ts'
import { type ShownReport, type ShownReportRow, WAYS, type Way } from './report-rows.ts'

interface ReportTableProps {
  readonly way: Way
  readonly range: DayRange
  readonly report: ShownReport
  readonly compared: MeasureOfDays | undefined
  readonly traffic: TrafficAnswer
}

/** The lines of a report with their total, and the same as a file. */
export function ReportTable({ way, range, report, compared, traffic }: ReportTableProps) {
  const { currency, hasMoney } = traffic
  const columns = COLUMNS.filter(({ isMoney, isOfMoney }) => hasMoney || !(isMoney || isOfMoney))
  const title = WAYS.find(([name]) => name === way)?.[1] ?? ''
  const write = (row: ShownReportRow) => rowOf(row, { columns, compared, currency })
  const save = () =>
    download(
      `calls-by-${way}-${range.from}-${range.till}.csv`,
      csvOf(report, { way, columns, currency, compared }),
      'text/csv',
    )
  return (
    <Card
      title={`Calls by ${title.toLowerCase()}`}
      beside={
        <Button small icon="download" onClick={save}>
          CSV
        </Button>
      }
    >
      <Table
        label={`Calls by ${title.toLowerCase()}`}
        columns={[
          { key: 'name', title, isNumber: false, show: nameOf },
          ...columns.map(({ key, title: heading, isMoney }) => ({
            key,
            title: isMoney ? `${heading}, ${currency}` : heading,
            isNumber: true,
            ...(LEFT_OUT.has(key) && { rank: 3 as const }),
          })),
          ...(compared ? comparedColumns(compared) : []),
        ]}
        rows={report.rows.map(write)}
        total={write(report.total)}
      />
    </Card>
  )
}

/** The columns that a table has no room for on a narrow screen. */
const LEFT_OUT = new Set(['acd', 'unknown_cost'])

const nameOf = ({ name = '', customer = '' }: TableRow) =>
  customer === '' ? <span>{name}</span> : <CustomerLink id={customer} name={name} />

const comparedColumns = ({ title }: MeasureOfDays): TableColumn[] => [
  { key: 'before', title: `${title} before`, isNumber: true },
  { key: 'change', title: 'Change', isNumber: true },
]

function rowOf(
  { name, customer, figures, before }: ShownReportRow,
  { columns, compared, currency }: Omit<ReportFile, 'way'>,
): TableRow {
  const earlier = before && compared?.value(before)
  const change = compared && percentChange(compared.value(figures), earlier)
  return {
    name,
    customer: customer === undefined ? '' : String(customer),
    ...Object.fromEntries(columns.map(({ key, shown }) => [key, dash(shown(figures))])),
    before: earlier === undefined ? BLANK : (compared?.write(earlier, currency) ?? ''),
    change: change === undefined ? BLANK : writeChange(change),
  }
}
