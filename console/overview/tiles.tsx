import type { TrafficAnswer } from '#lib/api/console/answers/traffic.ts'
import { BLANK } from '../format.ts'
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
      <span class={`change ${change === undefined ? 'muted' : ''}`}>{changeText(change)}</span>
    </button>
  )
}

const changeText = (change: number | undefined): string =>
  change === undefined ? 'nothing to compare' : writeChange(change)

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
