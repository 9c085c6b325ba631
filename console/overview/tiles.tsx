import type { TrafficAnswer } from '#lib/api/console/answers/traffic.ts'
import { BLANK, formatDays } from '../format.ts'
import { goWith } from '../place.ts'
import { type MeasureOfDays, percentChange, sumOfFigures, writeChange } from './figures.ts'

interface TilesProps {
  readonly measures: readonly MeasureOfDays[]
  readonly traffic: TrafficAnswer
  /** The measure that the chart shows. */
  readonly chosen: string
}

/** The figures of the range, each with its change from the period before. A click shows it in the chart. */
export const Tiles = ({ measures, traffic, chosen }: TilesProps) => (
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
      onClick={() => goWith({ measure: measure.name })}
    >
      <span class="muted">{measure.title}</span>
      <strong class="figure">{now === undefined ? BLANK : measure.write(now, currency)}</strong>
      <Sparkline values={days.map((day) => measure.value(day) ?? 0)} />
      <Change change={change} before={before} />
    </button>
  )
}

interface ChangeProps {
  readonly change: number | undefined
  readonly before: TrafficAnswer['before']
}

/** Each measure is better when it is higher. The arrow says what the colour says. */
function Change({ change, before }: ChangeProps) {
  if (change === undefined) return <span class="change muted">nothing to compare</span>
  return (
    <span class="change">
      <strong
        class={change < 0 ? 'worse' : 'better'}
      >{`${change < 0 ? '▼' : '▲'} ${writeChange(change)}`}</strong>{' '}
      <span class="muted">{`against ${formatDays(before[0]?.day, before.at(-1)?.day)}`}</span>
    </span>
  )
}

const WIDTH = 100
const HEIGHT = 24

/** A line without axes; the figures beside it say the same. */
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
