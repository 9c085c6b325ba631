import type { TrafficAnswer } from '#lib/api/console/answers/calls.ts'
import type { Money } from '#lib/base/money.ts'
import { profitOfKnown } from '#lib/calls/counters/earnings.ts'
import { type ApiQuery, useQuery } from '../api/use-query.ts'
import { BLANK, formatMoney } from '../base/format.ts'
import type { DayRange } from '../base/range.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { LoadedSums } from '../states/loaded-sums.tsx'
import { Table } from '../tables/table.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

const SHOWN = 8

interface TopGroupsProps {
  /** The query of the customers, which the overview sends anyway. */
  readonly customers: ApiQuery<TrafficAnswer>
  readonly range: DayRange
}

/** The customers and the destinations with the largest revenue, from the hourly sums. */
export function TopGroups({ customers, range: { from, till } }: TopGroupsProps) {
  const destinations = useQuery('/traffic', { from, till, by: 'destination' })
  return (
    <div class="charts">
      <TopOf title="Top customers" query={customers} />
      <TopOf title="Top destinations" query={destinations} />
    </div>
  )
}

const TopOf = ({ title, query }: { readonly title: string; readonly query: ApiQuery<TrafficAnswer> }) => (
  <Card title={title}>
    <LoadedSums query={query} what={title.toLowerCase()}>
      {(traffic) => (
        <>
          <Groups traffic={traffic} title={title} />
          <AgeOfSums grouped={traffic.grouped} />
        </>
      )}
    </LoadedSums>
  </Card>
)

/** Sums of all calls need no note. */
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

interface GroupsProps {
  readonly traffic: TrafficAnswer
  readonly title: string
}

function Groups({ traffic: { groups, currency, grouped }, title }: GroupsProps) {
  if (groups.length === 0 && grouped?.missing) return null
  const money = (amount: Money | undefined) => (amount === undefined ? BLANK : formatMoney(amount, currency))
  return (
    <Table
      label={title}
      empty={<EmptyState title="No calls on these days" />}
      columns={[
        {
          title: 'Name',
          text: ({ name }) => name || 'unknown',
          show: ({ id, name }) => <CustomerLink id={id ?? ''} name={name || 'unknown'} />,
        },
        { title: 'Attempts', number: ({ attempts }) => attempts },
        { title: 'Revenue', number: ({ revenue }) => money(revenue) },
        { title: 'Margin', number: (group) => money(profitOfKnown(group)) },
      ]}
      rows={groups.slice(0, SHOWN)}
    />
  )
}
