import { useEffect, useState } from 'preact/hooks'
import type { Ask } from '../api/ask.ts'
import type { Method, Values } from '../api/catalogue.ts'
import type { Signer } from '../api/request.ts'
import { Message } from '../views/message.tsx'
import { useAnswer } from '../views/use-answer.ts'
import { Chart, type Unit } from './chart.tsx'
import { Customers } from './customers.tsx'
import { Destinations } from './destinations.tsx'
import { answerSeizureRatio, averageLength, type Count, regrouped, type Tally } from './tally.ts'
import { tallyCalls } from './tally-calls.ts'

interface CallsPanelProps {
  readonly method: Method
  readonly signer: Signer
  readonly ask: Ask
  /** Whether the account has customers of its own. */
  readonly seesOthers: boolean
}

/** What was counted, and over how many days: the buttons may be ahead of it. */
interface Tallied {
  readonly tally: Tally
  readonly days: number
}

const DAY = 86_400

const PERIODS = [
  ['Today', 0],
  ['7 days', 7],
  ['30 days', 30],
] as const

/** Nothing is sent for today: which day that is, the installation knows. */
const periodOf = (days: number): Values =>
  days === 0 ? {} : { period_start: String(Math.floor(Date.now() / 1000) - days * DAY) }

/** Calls and minutes over time, by destination, and by the customers that somebody names. */
export function CallsPanel({ method, signer, ask, seesOthers }: CallsPanelProps) {
  const [days, setDays] = useState(0)
  const [calls, setCalls] = useState(0)
  const [{ value, problem, isUnderWay }, put] = useAnswer<Tallied>()
  useEffect(() => {
    setCalls(0)
    put(async () => ({ days, tally: await tallyCalls({ method, signer }, periodOf(days), setCalls) }))
  }, [method, signer, days, put])
  return (
    <>
      <div class="choices">
        <h2>Calls</h2>
        {PERIODS.map(([title, length]) => (
          <button key={title} type="button" aria-pressed={length === days} onClick={() => setDays(length)}>
            {title}
          </button>
        ))}
        <span role="status">{isUnderWay ? `Counting: ${calls.toLocaleString()} calls` : ''}</span>
      </div>
      {problem && <Message kind="error" text={problem} />}
      {value && value.tally.all.calls === 0 && <p>There were no calls. Choose a longer period.</p>}
      {value && value.tally.all.calls > 0 && (
        <>
          <Figures all={value.tally.all} />
          <Charts tally={value.tally} unit={value.days > 0 ? 'day' : 'hour'} />
          <Destinations prefixes={value.tally.prefixes} ask={ask} />
        </>
      )}
      {seesOthers && <Customers method={method} signer={signer} period={periodOf(days)} />}
    </>
  )
}

const Figures = ({ all }: { readonly all: Count }) => (
  <dl class="tiles">
    <Figure title="Calls" value={all.calls.toLocaleString()} />
    <Figure title="Answered" value={all.answered.toLocaleString()} />
    <Figure title="Minutes" value={Math.round(all.seconds / 60).toLocaleString()} />
    <Figure title="Answer-seizure ratio" value={answerSeizureRatio(all)} />
    <Figure title="Average length" value={averageLength(all)} />
  </dl>
)

const Figure = ({ title, value }: { readonly title: string; readonly value: string }) => (
  <div class="tile">
    <dt>{title}</dt>
    <dd>{value}</dd>
  </div>
)

function Charts({ tally, unit }: { readonly tally: Tally; readonly unit: Unit }) {
  const days = regrouped(tally.hours, (hour) => hour.slice(0, 10))
  const points = [...(unit === 'day' ? days : tally.hours)].sort(([one], [other]) => (one < other ? -1 : 1))
  return (
    <div class="charts">
      <Chart
        unit={unit}
        title={`Calls by ${unit}`}
        points={points.map(([at, { calls }]) => ({ at, value: calls }))}
      />
      <Chart
        unit={unit}
        title={`Minutes by ${unit}`}
        points={points.map(([at, { seconds }]) => ({ at, value: seconds / 60 }))}
      />
    </div>
  )
}
