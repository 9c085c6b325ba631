import type { TrafficAnswer } from '#lib/api/console/answers/traffic.ts'
import { subtract } from '#lib/domain/money.ts'
import { useReading } from '../api/use-reading.ts'
import { formatCount, formatMinutes, formatMoney } from '../format.ts'
import { linkToPlace } from '../place.ts'
import type { DayRange } from '../range.ts'
import { Loaded } from '../states/loaded.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Table } from '../ui/table.tsx'

const SHOWN = 8

/** The customers and the destinations with the largest revenue. */
export const TopGroups = ({ range }: { readonly range: DayRange }) => (
  <div class="charts">
    <TopOf by="customer" title="Top customers" range={range} />
    <TopOf by="destination" title="Top destinations" range={range} />
  </div>
)

interface TopOfProps {
  readonly by: 'customer' | 'destination'
  readonly title: string
  readonly range: DayRange
}

function TopOf({ by, title, range: { from, till } }: TopOfProps) {
  const reading = useReading<TrafficAnswer>('/traffic', { from, till, by })
  return (
    <Card title={title}>
      {reading.problem?.code === 'invalid' ? (
        <EmptyState title="Too many calls to sum up here" text={reading.problem.message} />
      ) : (
        <Loaded reading={reading} what={title.toLowerCase()}>
          {(traffic) => <Groups traffic={traffic} title={title} />}
        </Loaded>
      )}
    </Card>
  )
}

function Groups({
  traffic: { groups, currency },
  title,
}: {
  readonly traffic: TrafficAnswer
  readonly title: string
}) {
  if (groups.length === 0) return <EmptyState title="No calls on these days" />
  const rows = groups.slice(0, SHOWN).map(({ name, id, attempts, seconds, revenue, cost }) => ({
    name: name || 'unknown',
    id: id === null ? '' : String(id),
    attempts: formatCount(attempts),
    minutes: formatMinutes(seconds),
    revenue: formatMoney(revenue, currency),
    margin: formatMoney(subtract(revenue, cost), currency),
  }))
  return (
    <Table
      label={title}
      columns={[
        {
          key: 'name',
          title: 'Name',
          isNumber: false,
          show: ({ name = '', id = '' }) => <GroupName name={name} id={id} />,
        },
        { key: 'attempts', title: 'Attempts' },
        { key: 'minutes', title: 'Minutes' },
        { key: 'revenue', title: 'Revenue', isNumber: true },
        { key: 'margin', title: 'Margin', isNumber: true },
      ]}
      rows={rows}
    />
  )
}

const GroupName = ({ name, id }: { readonly name: string; readonly id: string }) =>
  id === '' ? <span>{name}</span> : <a href={linkToPlace(['customers', id])}>{name}</a>
