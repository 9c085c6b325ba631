import type { TrafficAnswer } from '#lib/api/console/answers/traffic.ts'
import { profitOfKnown } from '#lib/calls/counters/earnings.ts'
import { type Reading, useReading } from '../api/use-reading.ts'
import { BLANK, formatCount, formatMoney } from '../format.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import type { DayRange } from '../range.ts'
import { LoadedSums } from '../states/loaded-sums.tsx'
import { Table } from '../tables/table.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import type { Figures } from './figures.ts'

const SHOWN = 8

interface TopGroupsProps {
  /** The reading of the customers, which the overview has anyway. */
  readonly customers: Reading<TrafficAnswer>
  readonly range: DayRange
}

/** The customers and the destinations with the largest revenue, from the hourly sums. */
export function TopGroups({ customers, range: { from, till } }: TopGroupsProps) {
  const destinations = useReading<TrafficAnswer>('/traffic', { from, till, by: 'destination' })
  return (
    <div class="charts">
      <TopOf title="Top customers" reading={customers} />
      <TopOf title="Top destinations" reading={destinations} />
    </div>
  )
}

const TopOf = ({ title, reading }: { readonly title: string; readonly reading: Reading<TrafficAnswer> }) => (
  <Card title={title}>
    <LoadedSums reading={reading} what={title.toLowerCase()}>
      {(traffic) => (
        <>
          <Groups traffic={traffic} title={title} />
          <AgeOfSums grouped={traffic.grouped} />
        </>
      )}
    </LoadedSums>
  </Card>
)

/** Nothing is said of sums that have every call. */
export function AgeOfSums({ grouped }: Pick<TrafficAnswer, 'grouped'>) {
  if (!grouped || (grouped.at === null && grouped.missing === 0)) return null
  const { at, missing } = grouped
  return (
    <p class="muted">
      {at !== null && `As of ${at}; later calls come with the next hourly run. `}
      {missing > 0 &&
        `${missing === 1 ? 'One day is' : `${missing} days are`} not summed up yet: the next hourly run does it.`}
    </p>
  )
}

function formatMargin(group: Figures, currency: string): string {
  const margin = profitOfKnown(group)
  return margin === undefined ? BLANK : formatMoney(margin, currency)
}

function Groups({
  traffic: { groups, currency, grouped },
  title,
}: {
  readonly traffic: TrafficAnswer
  readonly title: string
}) {
  if (groups.length === 0 && grouped?.missing) return null
  if (groups.length === 0) return <EmptyState title="No calls on these days" />
  const rows = groups.slice(0, SHOWN).map((group) => ({
    name: group.name || 'unknown',
    id: group.id === null ? '' : String(group.id),
    attempts: formatCount(group.attempts),
    revenue: formatMoney(group.revenue, currency),
    margin: formatMargin(group, currency),
  }))
  return (
    <Table
      label={title}
      columns={[
        {
          key: 'name',
          title: 'Name',
          isNumber: false,
          show: ({ name = '', id = '' }) =>
            id === '' ? <span>{name}</span> : <CustomerLink id={id} name={name} />,
        },
        { key: 'attempts', title: 'Attempts' },
        { key: 'revenue', title: 'Revenue', isNumber: true },
        { key: 'margin', title: 'Margin', isNumber: true },
      ]}
      rows={rows}
    />
  )
}
