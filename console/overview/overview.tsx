import type { TrafficAnswer } from '#lib/api/console/answers/calls.ts'
import { useQuery } from '../api/use-query.ts'
import { BLANK, formatDays } from '../base/format.ts'
import { navigate } from '../base/route.ts'
import { isOperator, type SectionProps } from '../base/section.ts'
import { RangeChoice } from '../links/range-choice.tsx'
import { Loaded } from '../states/loaded.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { useCustomerTraffic } from './customer-traffic.ts'
import { DayChart } from './day-chart.tsx'
import { type MeasureOfDays, percentChange, sumOfFigures, TILES, writeChange } from './figures.ts'
import { FirstSteps } from './first-steps.tsx'
import { LeftOut } from './left-out.tsx'
import { LiveCalls } from './live-calls.tsx'
import { NeedsAttention } from './needs-attention.tsx'
import { TopGroups } from './top-groups.tsx'

/** The business at a glance: one range governs everything but the calls in progress. */
export function Overview({ route, session, range }: SectionProps) {
  const { from, till } = range
  const query = useQuery('/traffic', { from, till })
  const customers = useCustomerTraffic(session, range)
  return (
    <div class="stack">
      <PageHeader title="Overview">
        <RangeChoice range={range} />
      </PageHeader>
      {isNew(query.value) && session.type === 'admin' && <FirstSteps />}
      <Loaded query={query} what="the traffic" block>
        {(traffic) => (
          <Traffic traffic={traffic} chosen={route.values['measure'] ?? ''} today={session.today} />
        )}
      </Loaded>
      {session.type !== 'user' && (
        <NeedsAttention
          session={session}
          belowCost={customers.value?.grouped?.belowCost ?? 0}
          unpriced={customers.value?.grouped?.unpriced ?? 0}
          invalidCallers={customers.value?.grouped?.invalidCallers ?? 0}
          calls={customers.value?.grouped?.calls ?? 0}
          unknownCost={sumOfFigures(query.value?.days ?? []).unknownCost}
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
      {sumOfFigures(traffic.before).attempts > 0 && (
        <p class="change muted">
          Changes are against {formatDays(traffic.before[0]?.day, traffic.before.at(-1)?.day)}.
        </p>
      )}
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

interface TilesProps {
  readonly measures: readonly MeasureOfDays[]
  readonly traffic: TrafficAnswer
  /** The measure that the chart shows. */
  readonly chosen: string
}

/** The figures of the range, each with its change from the period before. A click shows it in the chart. */
const Tiles = ({ measures, traffic, chosen }: TilesProps) => (
  <div class="tiles">
    {measures.map((measure) => (
      <Tile key={measure.name} measure={measure} traffic={traffic} isChosen={measure.name === chosen} />
    ))}
  </div>
)

interface TileProps {
  readonly measure: MeasureOfDays
  readonly traffic: TrafficAnswer
  readonly isChosen: boolean
}

function Tile({ measure, traffic: { days, before, currency }, isChosen }: TileProps) {
  const [now, earlier] = [days, before].map((list) => measure.value(sumOfFigures(list)))
  const change = percentChange(now, earlier)
  return (
    <button
      type="button"
      class="tile card"
      aria-pressed={isChosen}
      onClick={() => navigate({ measure: measure.name })}
    >
      <span class="muted">{measure.title}</span>
      <strong class="figure">{now === undefined ? BLANK : measure.write(now, currency)}</strong>
      <Sparkline values={days.map((day) => measure.value(day) ?? 0)} />
      <Change change={change} />
    </button>
  )
}

/** Each measure is better when it is higher. The arrow says what the colour says. */
function Change({ change }: { readonly change: number | undefined }) {
  if (change === undefined) return <span class="change muted">nothing to compare</span>
  return (
    <span class="change">
      <strong
        class={change < 0 ? 'worse' : 'better'}
      >{`${change < 0 ? '▼' : '▲'} ${writeChange(change)}`}</strong>
    </span>
  )
}

const WIDTH = 100
const HEIGHT = 24

/** A line without axes; the figures next to it say the same. */
function Sparkline({ values }: { readonly values: readonly number[] }) {
  const [least, most] = [Math.min(0, ...values), Math.max(1e-9, ...values)]
  const points = values.map((value, index) => {
    const x = values.length < 2 ? WIDTH / 2 : (index / (values.length - 1)) * WIDTH
    return `${x.toFixed(1)},${(HEIGHT - 1 - ((value - least) / (most - least)) * (HEIGHT - 2)).toFixed(1)}`
  })
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  )
}
