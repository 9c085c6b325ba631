import { useCallback, useMemo } from 'preact/hooks'
import type { CallRowAnswer } from '#lib/api/console/answers/calls.ts'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import type { QueryValues } from '../api/console-api.ts'
import { dash, formatCount, formatFixed } from '../format.ts'
import { CustomerLink } from '../links/customer-link.tsx'
import { OpenButton } from '../links/open-button.tsx'
import { RangeChoice } from '../links/range-choice.tsx'
import type { PartProps } from '../part.ts'
import { goWith, type Place } from '../place.ts'
import type { DayRange } from '../range.ts'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { LongTable, type LongTableColumn } from '../tables/long-table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { CallFilters, filtersIn } from './call-filters.tsx'
import { CallPanel } from './call-panel.tsx'
import { CallTotals } from './call-totals.tsx'
import { type CallPages, type ReadingOfPages, useCallPages } from './use-call-pages.ts'

interface CallListProps {
  readonly place: Place
  readonly session: SessionAnswer
  readonly range: DayRange
  readonly customer?: number
}

/** Calls, the newest first; a click on a time opens the call at the side, under an address of its own. */
export function CallList({ place, session, range, customer }: CallListProps) {
  const { call = '' } = place.values
  const isManager = session.type !== 'user'
  const filters = filtersIn(place.values)
  const query: QueryValues = {
    from: range.from,
    till: range.till,
    ...filters,
    ...(customer !== undefined && { customer }),
  }
  const reading = useCallPages(query)
  return (
    <>
      <CallFilters values={filters} session={session} customer={customer} />
      <Card
        title="Calls"
        beside={
          reading.pages.calls.length > 0 && (
            <CallTotals query={query} pages={reading.pages} hasCost={isManager} />
          )
        }
      >
        <Listed
          reading={reading}
          hasCost={isManager}
          isOfMany={isManager && customer === undefined}
          isBelowCost={filters['below-cost'] !== undefined}
        />
      </Card>
      {call !== '' && (
        <CallPanel key={call} id={call} isLinked={isManager} onClose={() => goWith({ call: '' })} />
      )}
    </>
  )
}

const PRICE_DECIMALS = 4

const columnsFor = (
  currency: string,
  { hasCost, isOfMany, isBelowCost }: Pick<ListedProps, 'hasCost' | 'isOfMany' | 'isBelowCost'>,
): readonly LongTableColumn[] => [
  {
    key: 'at',
    title: 'Time',
    onPhone: 'first',
    width: 11.5,
    show: ({ at, id = '' }) => <OpenButton text={at} opens={{ call: id }} />,
  },
  { key: 'from', title: 'From', isNumber: false, width: 8.5 },
  { key: 'to', title: 'To', isNumber: false, width: 8.5, lead: '→' },
  { key: 'seconds', title: 'Seconds', isNumber: true, onPhone: 'first', unit: 's', width: 4.75 },
  { key: 'cause', title: 'Result', isNumber: false, rank: 2, width: 9 },
  { key: 'price', title: `Price, ${currency}`, isNumber: true, onPhone: 'first', unit: currency, width: 6 },
  ...(isBelowCost
    ? [{ key: 'resellerPays', title: 'Reseller pays', isNumber: true, rank: 3, width: 7 } as const]
    : []),
  ...(hasCost
    ? [
        {
          key: 'cost',
          title: `Cost, ${currency}`,
          isNumber: true,
          onPhone: 'left out',
          rank: 3,
          width: 6,
        } as const,
      ]
    : []),
  ...(isOfMany
    ? [
        {
          key: 'customer',
          title: 'Customer',
          onPhone: 'left out',
          show: ({ customer = '', customerId = '' }: Readonly<Record<string, string>>) => (
            <CustomerLink id={customerId} name={customer} />
          ),
        } as const,
      ]
    : []),
]

interface ListedProps {
  readonly reading: ReadingOfPages
  readonly hasCost: boolean
  readonly isOfMany: boolean
  /** Only calls below cost are shown: what a reseller pays is one of the compared prices. */
  readonly isBelowCost: boolean
}

function Listed({ reading: { pages, problem, more }, hasCost, isOfMany, isBelowCost }: ListedProps) {
  const { calls, currency, next, isSparse } = pages
  const columns = useMemo(
    () => columnsFor(currency, { hasCost, isOfMany, isBelowCost }),
    [currency, hasCost, isOfMany, isBelowCost],
  )
  const onNearEnd = useCallback(() => {
    if (!isSparse && !problem) more()
  }, [isSparse, problem, more])
  if (next === undefined && !problem) return <Skeleton what="the calls" lines={10} />
  if (calls.length === 0 && next === null)
    return <EmptyState title="No calls are found" text="Choose other days, or take a filter away." />
  return (
    <>
      {calls.length > 0 && (
        <LongTable label="Calls" items={calls} {...{ columns, rowOf, onNearEnd }} isMore={next !== null} />
      )}
      {problem ? <RefusalNotice problem={problem} onRetry={more} /> : <End pages={pages} onMore={more} />}
    </>
  )
}

interface EndProps {
  readonly pages: CallPages
  readonly onMore: () => void
}

/** The calls read so far, and a button for the next ones. */
const End = ({ pages: { calls, read, next, isSparse }, onMore }: EndProps) => (
  <p class="list-end cluster muted" role="status">
    {next === null
      ? `${formatCount(calls.length)} ${calls.length === 1 ? 'call' : 'calls'}, no more on these days`
      : `${formatCount(calls.length)} of ${formatCount(read)} calls that were read; there are more`}
    {next !== null && isSparse && (
      <Button small onClick={onMore}>
        Read on
      </Button>
    )}
  </p>
)

/** The hangup cause of an answered call is 16, which says nothing more. */
const resultOf = (disposition: string, cause: number): string =>
  disposition === 'answered' ? disposition : `${disposition} (${cause})`

const rowOf = ({ id, at, from, to, seconds, cause, disposition, customer, ...call }: CallRowAnswer) => ({
  id,
  at,
  from: dash(from),
  to: dash(to),
  seconds: formatCount(seconds),
  cause: resultOf(disposition.toLowerCase(), cause),
  price: formatFixed(call.price, PRICE_DECIMALS),
  resellerPays: formatFixed(call.resellerPays, PRICE_DECIMALS),
  cost: formatFixed(call.cost, PRICE_DECIMALS),
  customer: customer.name,
  customerId: String(customer.id),
})

export const Calls = ({ place, session, range }: PartProps) => (
  <div class="stack">
    <PageHeader title="Calls">
      <RangeChoice range={range} />
    </PageHeader>
    <CallList place={place} session={session} range={range} />
  </div>
)
