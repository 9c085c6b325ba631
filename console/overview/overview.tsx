import type { TrafficAnswer } from '#lib/api/console/answers/traffic.ts'
import { useReading } from '../api/use-reading.ts'
import { useCustomerTraffic } from '../customers/customer-traffic.ts'
import { RangeChoice } from '../links/range-choice.tsx'
import { isOperator, type PartProps } from '../part.ts'
import { Loaded } from '../states/loaded.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { DayChart } from './day-chart.tsx'
import { sumOfFigures, TILES } from './figures.ts'
import { FirstSteps } from './first-steps.tsx'
import { LeftOut } from './left-out.tsx'
import { LiveCalls } from './live-calls.tsx'
import { NeedsAttention } from './needs-attention.tsx'
import { Tiles } from './tiles.tsx'
import { TopGroups } from './top-groups.tsx'

/** The business at a glance: one range governs everything but the calls in progress. */
export function Overview({ place, session, range }: PartProps) {
  const { from, till } = range
  const reading = useReading<TrafficAnswer>('/traffic', { from, till })
  const customers = useCustomerTraffic(session, range)
  return (
    <div class="stack">
      <PageHeader title="Overview">
        <RangeChoice range={range} />
      </PageHeader>
      {isNew(reading.value) && session.type === 'admin' && <FirstSteps />}
      <Loaded reading={reading} what="the traffic" block>
        {(traffic) => (
          <Traffic traffic={traffic} chosen={place.values['measure'] ?? ''} today={session.today} />
        )}
      </Loaded>
      {session.type !== 'user' && (
        <NeedsAttention
          session={session}
          belowCost={customers.value?.grouped?.belowCost ?? 0}
          unpriced={customers.value?.grouped?.unpriced ?? 0}
          unknownCost={sumOfFigures(reading.value?.days ?? []).unknownCost}
        />
      )}
      {isOperator(session) && <TopGroups customers={customers} range={range} />}
      <LiveCalls session={session} />
    </div>
  )
}

/** An installation without calls in the range and before it may be new. */
const isNew = (traffic: TrafficAnswer | undefined): boolean =>
  traffic !== undefined && [...traffic.days, ...traffic.before].every(({ attempts }) => attempts === 0)

interface TrafficProps {
  readonly traffic: TrafficAnswer
  readonly chosen: string
  readonly today: string
}

function Traffic({ traffic, chosen, today }: TrafficProps) {
  const measures = TILES.filter(({ isMoney, isTechnical }) => !(isMoney || isTechnical) || traffic.hasMoney)
  const measure = measures.find(({ name }) => name === chosen) ?? measures[0]
  if (!measure) return null
  return (
    <>
      <Tiles measures={measures} traffic={traffic} chosen={measure.name} />
      <LeftOut traffic={traffic} />
      <Card title={`${measure.title} by day`}>
        {isNew(traffic) ? (
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
