import type { DocumentsAnswer } from '#lib/api/console/answers/billing.ts'
import type { SessionAnswer } from '#lib/api/console/answers/session.ts'
import type { SuspenseAnswer } from '#lib/api/console/answers/suspense.ts'
import type { TrafficAnswer } from '#lib/api/console/answers/traffic.ts'
import { useReading } from '../api/use-reading.ts'
import { formatMoney } from '../format.ts'
import { RangeChoice } from '../links/range-choice.tsx'
import type { PartProps } from '../part.ts'
import { linkToPlace } from '../place.ts'
import { Loaded } from '../states/loaded.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { DayChart } from './day-chart.tsx'
import { MEASURES } from './figures.ts'
import { LiveCalls } from './live-calls.tsx'
import { Tiles } from './tiles.tsx'
import { TopGroups } from './top-groups.tsx'

/** The business at a glance: one range governs everything but the calls in progress. */
export function Overview({ place, session, range }: PartProps) {
  const reading = useReading<TrafficAnswer>('/traffic', { from: range.from, till: range.till })
  return (
    <div class="stack">
      <PageHeader title="Overview">
        <RangeChoice range={range} />
      </PageHeader>
      <Loaded reading={reading} what="the traffic" block>
        {(traffic) => (
          <Traffic traffic={traffic} chosen={place.values['measure'] ?? ''} today={session.today} />
        )}
      </Loaded>
      {session.type !== 'user' && <NeedsAttention session={session} />}
      {(session.type === 'admin' || session.type === 'accountant') && <TopGroups range={range} />}
      <LiveCalls session={session} />
    </div>
  )
}

interface TrafficProps {
  readonly traffic: TrafficAnswer
  readonly chosen: string
  readonly today: string
}

function Traffic({ traffic, chosen, today }: TrafficProps) {
  const measures = MEASURES.filter(({ isMoney }) => !isMoney || traffic.hasMoney)
  const measure = measures.find(({ name }) => name === chosen) ?? measures[0]
  if (!measure) return null
  const isEmpty = [...traffic.days, ...traffic.before].every(({ attempts }) => attempts === 0)
  return (
    <>
      <Tiles measures={measures} traffic={traffic} chosen={measure.name} />
      <Card title={`${measure.title} by day`}>
        {isEmpty ? (
          <EmptyState
            title="No calls on these days"
            text="Choose other days above, or let a switch send its CDRs."
          />
        ) : (
          <DayChart measure={measure} traffic={traffic} today={today} />
        )}
      </Card>
    </>
  )
}

/** What waits for somebody; nothing is shown if nothing does. */
function NeedsAttention({ session }: { readonly session: SessionAnswer }) {
  const isOperator = session.parts.includes('suspense')
  const suspense = useReading<SuspenseAnswer>(isOperator ? '/suspense' : undefined)
  const unpaid = useReading<DocumentsAnswer>('/documents', { kind: 'invoices', status: 'unpaid' })
  const suspended = suspense.value?.entries.length ?? 0
  const open = unpaid.value?.documents.length ?? 0
  if (suspended === 0 && open === 0) return null
  return (
    <Card title="Needs attention">
      <ul class="attention">
        {suspended > 0 && (
          <li>
            <a href={linkToPlace(['suspense'])}>
              {countOf(suspended, 'suspended CDR', suspense.value?.next)}
            </a>{' '}
            not billed yet
          </li>
        )}
        {open > 0 && (
          <li>
            <a href={linkToPlace(['billing'], { status: 'unpaid' })}>
              {countOf(open, 'unpaid invoice', unpaid.value?.next)}
            </a>
            {`: ${(unpaid.value?.totals ?? []).map(({ currency, amountWithVat }) => formatMoney(amountWithVat, currency)).join(', ')}`}
          </li>
        )}
      </ul>
    </Card>
  )
}

const countOf = (count: number, noun: string, next: string | null | undefined): string =>
  `${count}${next ? '+' : ''} ${noun}${count === 1 ? '' : 's'}`
