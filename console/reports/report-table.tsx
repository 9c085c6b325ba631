import type { TrafficAnswer } from '#lib/api/console/answers/calls.ts'
import { download } from '../base/download.ts'
import { BLANK } from '../base/format.ts'
import type { DayRange } from '../base/range.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { type MeasureOfDays, percentChange, writeChange } from '../overview/figures.ts'
import type { TypedColumn } from '../tables/columns.tsx'
import { Table } from '../tables/table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { COLUMNS } from './report-columns.ts'
import { csvOf, type ShownReport, type ShownReportRow, WAYS, type Way } from './report-rows.ts'

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
          { title, text: ({ name }) => name, show: nameOf },
          ...columns.map(
            ({ key, title: heading, isMoney, shown }): TypedColumn<ShownReportRow> => ({
              title: isMoney ? `${heading}, ${currency}` : heading,
              number: ({ figures }) => shown(figures),
              ...((LEFT_OUT.has(key) || (compared && LEFT_OUT_COMPARED.has(key))) && { rank: 3 }),
            }),
          ),
          ...(compared ? comparedColumns(compared, currency) : []),
        ]}
        rows={report.rows}
        totals={[report.total]}
      />
    </Card>
  )
}

/** The columns that a table has no room for on a narrow screen. */
const LEFT_OUT = new Set(['acd', 'unknown_cost'])
const LEFT_OUT_COMPARED = new Set(['asr', 'cost'])

const nameOf = ({ name, customer }: ShownReportRow) => <CustomerLink id={customer ?? ''} name={name} />

const comparedColumns = (measure: MeasureOfDays, currency: string): TypedColumn<ShownReportRow>[] => {
  const earlier = ({ before }: ShownReportRow) => before && measure.value(before)
  const change = (row: ShownReportRow) => percentChange(measure.value(row.figures), earlier(row))
  const written = <T,>(value: T | undefined, write: (value: T) => string) =>
    value === undefined ? BLANK : write(value)
  return [
    {
      title: `${measure.title} before`,
      number: (row) => written(earlier(row), (value) => measure.write(value, currency)),
    },
    { title: 'Change', number: (row) => written(change(row), writeChange) },
  ]
}
