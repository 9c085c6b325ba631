import type { CallsAnswer } from '#lib/api/console/answers/calls.ts'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import { useReading } from '../api/use-reading.ts'
import { dash, formatFixed } from '../format.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { PageLinks } from '../links/page-links.tsx'
import type { Place } from '../place.ts'
import { goWith } from '../place.ts'
import type { DayRange } from '../range.ts'
import { Loaded } from '../states/loaded.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Table, type TableColumn } from '../ui/table.tsx'
import { CallFilters, filtersIn } from './call-filters.tsx'
import { CallPanel } from './call-panel.tsx'

interface CallListProps {
  readonly place: Place
  readonly session: SessionAnswer
  readonly range: DayRange
  /** The only customer. */
  readonly customer?: number
}

/** Calls, the newest first; a click on a time opens the call at the side, under an address of its own. */
export function CallList({ place, session, range, customer }: CallListProps) {
  const { after = '', call = '' } = place.values
  const filters = filtersIn(place.values)
  const reading = useReading<CallsAnswer>('/calls', {
    from: range.from,
    till: range.till,
    after,
    customer,
    ...filters,
  })
  return (
    <>
      <CallFilters values={filters} session={session} />
      <Card title="Calls">
        <Loaded reading={reading} what="the calls" lines={10}>
          {(answer) => <Listed answer={answer} after={after} hasMoney={session.type !== 'user'} />}
        </Loaded>
      </Card>
      {call !== '' && <CallPanel key={call} id={call} onClose={() => goWith({ call: '' })} />}
    </>
  )
}

const PRICE_DECIMALS = 4

const columnsFor = (hasMoney: boolean, currency: string): readonly TableColumn[] => [
  { key: 'at', title: 'Time', isNumber: false, show: ({ at, id = '' }) => <CallButton id={id} at={at} /> },
  { key: 'from', title: 'From', isNumber: false },
  { key: 'to', title: 'To', isNumber: false },
  { key: 'seconds', title: 'Seconds' },
  { key: 'cause', title: 'Result', isNumber: false },
  { key: 'price', title: `Price, ${currency}`, isNumber: true },
  ...(hasMoney
    ? [
        { key: 'cost', title: `Cost, ${currency}`, isNumber: true },
        {
          key: 'customer',
          title: 'Customer',
          show: ({ customer = '', customerId = '' }: Readonly<Record<string, string>>) => (
            <CustomerLink id={customerId} name={customer} />
          ),
        },
      ]
    : []),
]

const CallButton = ({ id, at }: { readonly id: string; readonly at: string | undefined }) => (
  <button type="button" class="link" onClick={() => goWith({ call: id })}>
    {at}
  </button>
)

interface ListedProps {
  readonly answer: CallsAnswer
  readonly after: string
  readonly hasMoney: boolean
}

function Listed({ answer: { calls, currency, next, read }, after, hasMoney }: ListedProps) {
  if (calls.length === 0 && next === null)
    return <EmptyState title="No calls are found" text="Choose other days, or take a filter away." />
  return (
    <>
      <Table
        label="Calls"
        columns={columnsFor(hasMoney, currency)}
        rows={calls.map(({ id, at, from, to, seconds, cause, disposition, price, cost, customer }) => ({
          id,
          at,
          from: dash(from),
          to: dash(to),
          seconds: String(seconds),
          cause: `${disposition.toLowerCase()} (${cause})`,
          price: formatFixed(price, PRICE_DECIMALS),
          cost: formatFixed(cost, PRICE_DECIMALS),
          customer: customer.name,
          customerId: String(customer.id),
        }))}
      />
      {next !== null && (
        <p class="muted">{`${calls.length} of ${read} calls that were read; there are more.`}</p>
      )}
      <PageLinks after={after} next={next} />
    </>
  )
}
