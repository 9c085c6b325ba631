import { useCallback, useMemo } from 'preact/hooks'
import type { CallAnswer, CallRowAnswer, CallsAnswer } from '#lib/api/console/answers/calls.ts'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import type { SentValues } from '../api/catalogue.ts'
import type { QueryValues } from '../api/console-api.ts'
import { type PagesQuery, usePages } from '../api/use-pages.ts'
import { useQuery } from '../api/use-query.ts'
import { BLANK, formatCount, formatCounted, formatFixed } from '../base/format.ts'
import type { DayRange } from '../base/range.ts'
import { navigate, type PageRoute, useRoute } from '../base/route.ts'
import type { SectionProps } from '../base/section.ts'
import { AdjustButton } from '../billing/adjust-button.tsx'
import { CustomerLink } from '../links/customer-link.tsx'
import { OpenButton } from '../links/open-button.tsx'
import { RangeChoice } from '../links/range-choice.tsx'
import { EmptyList } from '../states/empty-list.tsx'
import { Loaded } from '../states/loaded.tsx'
import { RefusalNotice } from '../states/refusal-notice.tsx'
import { LongTable, type LongTableColumn } from '../tables/long-table.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { type Fact, Facts } from '../ui/facts.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { SidePanel } from '../ui/side-panel.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { CallFilters, filtersIn } from './call-filters.tsx'
import { CallTotals } from './call-totals.tsx'
import { PriceSteps } from './price-steps.tsx'

interface CallListProps {
  readonly route: PageRoute
  readonly session: SessionAnswer
  readonly range: DayRange
  readonly customer?: number
}

/** Calls, the newest first; a click on a time opens the call at the side, under an address of its own. */
export function CallList({ route, session, range, customer }: CallListProps) {
  const { call = '' } = route.values
  const isManager = session.type !== 'user'
  const filters = filtersIn(route.values)
  const queryValues: QueryValues = {
    from: range.from,
    till: range.till,
    ...filters,
    ...(customer !== undefined && { customer }),
  }
  const query = usePages('/calls', queryValues)
  const calls = useMemo(() => query.pages.flatMap((page) => page.calls), [query.pages])
  return (
    <>
      <CallFilters values={filters} session={session} customer={customer} />
      <Card
        title="Calls"
        beside={
          calls.length > 0 && (
            <CallTotals
              {...{ queryValues, calls }}
              currency={query.pages[0]?.currency ?? ''}
              isComplete={query.next === null}
              hasCost={isManager}
            />
          )
        }
      >
        <Listed
          {...{ query, calls, filters }}
          hasCost={isManager}
          isOfMany={isManager && customer === undefined}
          isBelowCost={filters['below-cost'] !== undefined}
        />
      </Card>
      {call !== '' && (
        <CallPanel key={call} id={call} session={session} onClose={() => navigate({ call: '' })} />
      )}
    </>
  )
}

const PRICE_DECIMALS = 4

const price = (amount: string | null) => formatFixed(amount, PRICE_DECIMALS)

type CallColumn = LongTableColumn<CallRowAnswer>

/** The column of the reseller's price is shown with calls below cost: it is one of the compared prices. */
const columnsFor = (
  currency: string,
  { hasCost, isOfMany, isBelowCost }: Omit<ListedProps, 'query' | 'calls' | 'filters'>,
): readonly CallColumn[] => {
  const paid: CallColumn = {
    title: 'Reseller pays',
    number: ({ resellerPays }) => price(resellerPays),
    rank: 3,
    width: 7,
  }
  const cost: CallColumn = {
    title: `Cost, ${currency}`,
    number: (call) => price(call.cost),
    onPhone: 'left out',
    rank: 3,
    width: 6,
  }
  const loses: CallColumn = { title: 'Loses', text: ({ loser }) => loser ?? BLANK, lead: 'loss:', width: 6 }
  const customer: CallColumn = { title: 'Customer', customer: (call) => call.customer, onPhone: 'below' }
  return [
    {
      title: 'Time',
      text: ({ at }) => at,
      show: ({ id, at }) => <OpenButton text={at} opens={{ call: id }} />,
      onPhone: 'first',
      width: 10.5,
    },
    { title: 'From', text: ({ from }) => from, width: 7.75 },
    { title: 'To', text: ({ to }) => to, width: 7.75, lead: '→' },
    { title: 'Seconds', number: ({ seconds }) => seconds, onPhone: 'first', unit: 's', width: 4 },
    { title: 'Result', text: resultOf, rank: 2, width: 8, ...(isBelowCost && { onPhone: 'left out' }) },
    {
      title: `Price, ${currency}`,
      number: (call) => price(call.price),
      onPhone: 'first',
      unit: currency,
      width: 5.25,
    },
    ...(isBelowCost ? [paid] : []),
    ...(hasCost ? [cost] : []),
    ...(isBelowCost ? [loses] : []),
    ...(isOfMany ? [customer] : []),
  ]
}

interface ListedProps {
  readonly query: PagesQuery<CallsAnswer>
  readonly calls: readonly CallRowAnswer[]
  readonly filters: SentValues
  readonly hasCost: boolean
  readonly isOfMany: boolean
  readonly isBelowCost: boolean
}

/** A page with fewer calls than this took hundreds of reads for each of them: the next one is asked for. */
const FEW_CALLS = 10

function Listed({ query, calls, filters, hasCost, isOfMany, isBelowCost }: ListedProps) {
  const { pages, next, problem, more } = query
  const { range } = useRoute().values
  const currency = pages[0]?.currency ?? ''
  const isSparse = (pages.at(-1)?.calls.length ?? 0) < FEW_CALLS
  const columns = useMemo(
    () => columnsFor(currency, { hasCost, isOfMany, isBelowCost }),
    [currency, hasCost, isOfMany, isBelowCost],
  )
  const onNearEnd = useCallback(() => {
    if (!isSparse && !problem) more()
  }, [isSparse, problem, more])
  if (next === undefined && !problem) return <Skeleton what="the calls" lines={10} />
  if (calls.length === 0 && next === null)
    return (
      <EmptyList title="No calls on these days" text="Choose other days above." narrowedBy={filters}>
        {range !== 'last-month' && (
          <Button small onClick={() => navigate({ range: 'last-month' })}>
            Last month
          </Button>
        )}
      </EmptyList>
    )
  return (
    <>
      {calls.length > 0 && (
        <LongTable label="Calls" items={calls} {...{ columns, onNearEnd }} isMore={next !== null} />
      )}
      {problem ? (
        <RefusalNotice problem={problem} onRetry={more} />
      ) : (
        <End {...{ pages, calls, isSparse }} onMore={more} />
      )}
    </>
  )
}

interface EndProps extends Pick<ListedProps, 'calls'> {
  readonly pages: readonly CallsAnswer[]
  /** To read on may cost much and find nothing. */
  readonly isSparse: boolean
  readonly onMore: () => void
}

/** The calls read so far, and a button for the next ones. */
function End({ pages, calls, isSparse, onMore }: EndProps) {
  const isMore = pages.at(-1)?.next !== null
  const read = formatCount(pages.reduce((sum, page) => sum + page.read, 0))
  return (
    <p class="list-end cluster muted" role="status">
      {isMore
        ? `${formatCount(calls.length)} of ${read} calls that were read; there are more`
        : `${formatCounted(calls.length, 'call')}, no more on these days`}
      {isMore && isSparse && (
        <Button small onClick={onMore}>
          Read on
        </Button>
      )}
    </p>
  )
}

/** The hangup cause of an answered call is 16, which says nothing more. */
function resultOf({ disposition, cause }: CallRowAnswer): string {
  const word = disposition.toLowerCase()
  return word === 'answered' ? word : `${word} (${cause})`
}

export const Calls = ({ route, session, range }: SectionProps) => (
  <div class="stack">
    <PageHeader title="Calls">
      <RangeChoice range={range} />
    </PageHeader>
    <CallList route={route} session={session} range={range} />
  </div>
)

interface CallPanelProps {
  readonly id: string
  readonly session: SessionAnswer
  readonly onClose: () => void
}

function CallPanel({ id, session, onClose }: CallPanelProps) {
  const query = useQuery(`/calls/${encodeURIComponent(id)}`)
  return (
    <SidePanel title="Call" onClose={onClose}>
      <Loaded query={query} what="the call" lines={10}>
        {(answer) => <Details answer={answer} session={session} />}
      </Loaded>
    </SidePanel>
  )
}

interface CallDetailsProps {
  readonly answer: CallAnswer
  readonly session: SessionAnswer
}

const Details = ({ answer, session }: CallDetailsProps) => (
  <>
    <Facts facts={factsOf(answer, session.type !== 'user')} />
    {answer.equal.length > 0 && <Equal calls={answer.equal} />}
    {session.type === 'admin' && Number(answer.call.price) > 0 && <CreditOfCall answer={answer} />}
    <h3>Price</h3>
    {answer.rating ? (
      <PriceSteps rating={answer.rating} currency={answer.currency} />
    ) : (
      <p class="muted">This call came with its price, so no tariff of this installation explains it.</p>
    )}
  </>
)

const Equal = ({ calls }: { readonly calls: CallAnswer['equal'] }) => (
  <Notice tone="warn" title="Another call has the same numbers, seconds and second. Is it the same call?">
    {calls.map(({ id, uniqueid, source }) => (
      <OpenButton key={id} text={[uniqueid, source].filter(Boolean).join(' of ')} opens={{ call: id }} />
    ))}
  </Notice>
)

/** Gives the price of a call back, by an adjustment of the balance that names the call. */
const CreditOfCall = ({ answer: { call, currency } }: Pick<CallDetailsProps, 'answer'>) => (
  <span>
    <AdjustButton
      title="Credit this call"
      customer={call.customer.id}
      currency={currency}
      initial={{ amount: call.price ?? '', why: `Call to ${call.to} of ${call.at}`, kind: 'goodwill' }}
    />
  </span>
)

function factsOf({ call, currency, prices, ...answer }: CallAnswer, isLinked: boolean): Fact[] {
  const amount = (price: string | null) => (price === null ? BLANK : `${price} ${currency}`)
  const { id, name } = call.customer
  const facts: [string, Fact[1] | null][] = [
    ['Time', call.at],
    ['From', call.from],
    ['To', call.to],
    ['Customer', isLinked ? <CustomerLink id={id} name={name} /> : name],
    ['Result', `${call.disposition.toLowerCase()}, cause ${call.cause}`],
    ['Billed seconds', `${call.seconds} of ${answer.duration}`],
    ['Direction', answer.isIncoming ? 'received' : 'made'],
    ['Device', answer.device?.name ?? null],
    ['Provider', answer.provider],
    ['Switch', answer.source],
    ['Unique id', answer.uniqueid],
    ['Price', amount(prices.customer)],
    ['Reseller pays', prices.reseller === null ? null : amount(prices.reseller)],
    ['Provider charges', prices.provider === null ? null : amount(prices.provider)],
    ['Sold below cost', call.loser === null ? null : `the ${call.loser} loses`],
  ]
  return facts.flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value]]))
}
