import { useEffect, useId, useState } from 'preact/hooks'
import type { Ask } from '../api/ask.ts'
import type { Method, Values } from '../api/catalogue.ts'
import type { Signer } from '../api/request.ts'
import { useAnswer } from '../api/use-answer.ts'
import { formatCount } from '../format.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { ProblemNotice } from '../ui/problem-notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'
import { Chart } from './chart.tsx'
import { Destinations } from './destinations.tsx'
import type { Tally } from './tally.ts'
import { tallyCalls } from './tally-calls.ts'
import { chartsOf } from './traffic-charts.ts'
import type { Viewer } from './viewer.ts'

interface TrafficProps {
  readonly catalogue: readonly Method[]
  readonly signer: Signer
  readonly ask: Ask
  readonly viewer: Viewer | undefined
}

const DAY_SECONDS = 86_400

const PERIODS = [
  ['0', 'Today'],
  ['7', '7 days'],
  ['30', '30 days'],
] as const

type Days = (typeof PERIODS)[number][0]

/** Nothing is sent for today: the installation knows which day that is. */
const periodOf = (days: Days): Values =>
  days === '0' ? {} : { period_start: String(Math.floor(Date.now() / 1000) - Number(days) * DAY_SECONDS) }

/** The calls of a period over time and by destination. Another period starts with skeletons. */
export function Traffic(props: TrafficProps) {
  const [days, setDays] = useState<Days>('7')
  const id = useId()
  return (
    <>
      <div class="cluster section-head">
        <h2>Calls over time</h2>
        <span class="links">
          <TabList id={id} label="Period" tabs={PERIODS} value={days} onChange={setDays} />
        </span>
      </div>
      <TabPanel id={id} value={days}>
        <PeriodTraffic key={days} {...props} days={days} />
      </TabPanel>
    </>
  )
}

interface PeriodTrafficProps extends TrafficProps {
  readonly days: Days
}

function PeriodTraffic({ catalogue, signer, ask, viewer, days }: PeriodTrafficProps) {
  const [calls, setCalls] = useState(0)
  const [{ value: tally, problem }, put] = useAnswer<Tally>()
  useEffect(() => {
    if (!viewer) return
    const counter = { catalogue, signer, moneyOf: viewer.moneyOf }
    put(() => tallyCalls(counter, periodOf(days), setCalls))
  }, [catalogue, signer, viewer, days, put])
  if (problem) return <ProblemNotice text={problem} />
  if (!tally || !viewer) return <CountingCalls calls={calls} />
  if (tally.hours.size === 0)
    return <EmptyState title="No calls in this period" text="Choose a longer period." />
  const charts = chartsOf(tally, days === '0' ? 'hour' : 'day', viewer)
  return (
    <>
      <div class="charts">
        {charts.map((chart) => (
          <Chart key={chart.title} chart={chart} />
        ))}
      </div>
      <p class="muted">
        Times are those of the installation, {tally.zone}. ASR is answered calls of all attempts, ACD the mean
        length of answered calls.
      </p>
      <Destinations prefixes={tally.prefixes} ask={ask} />
    </>
  )
}

const CountingCalls = ({ calls }: { readonly calls: number }) => (
  <>
    <div class="charts">
      {['calls', 'minutes', 'ASR', 'ACD'].map((what) => (
        <div key={what} class="card card-body">
          <Skeleton what={what} block />
        </div>
      ))}
    </div>
    <p class="muted">{calls > 0 && `Counting: ${formatCount(calls)} calls`}</p>
  </>
)
