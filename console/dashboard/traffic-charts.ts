import { formatCount, formatLength, formatMinutes, formatMoney, formatPercent } from '../format.ts'
import { acdOf, asrOf, type Count, marginOf, type Slot, slotsOf, sumOf, type Tally } from './tally.ts'

/** Values over time, and how they are written. */
export interface Series {
  readonly title: string
  readonly values: readonly (number | null)[]
  readonly texts: readonly string[]
}

export interface ChartData {
  readonly title: string
  /** The value of the whole period. */
  readonly figure: string
  /** Counts are drawn as bars, ratios as a line. */
  readonly isCount: boolean
  /** How a number of the axis is written. */
  readonly axis: (value: number) => string
  /** The hours or days, as the installation's zone has them. */
  readonly slots: readonly string[]
  /** Drawn one over the other, the largest first. */
  readonly series: readonly Series[]
}

interface Measure {
  readonly title: string
  readonly isCount: boolean
  readonly axis: (value: number) => string
  readonly text: (count: Count) => string
  readonly series: readonly SeriesOf[]
}

interface SeriesOf {
  readonly title: string
  readonly value: (count: Count) => number | undefined
  readonly text: (count: Count) => string
}

const or =
  (write: (value: number) => string) =>
  (value: number | undefined): string =>
    value === undefined ? '–' : write(value)

/** A measure of which a point has one value. */
const measure = (
  title: string,
  isCount: boolean,
  value: SeriesOf['value'],
  [text, axis]: readonly [SeriesOf['text'], Measure['axis']],
): Measure => ({ title, isCount, axis, text, series: [{ title, value, text }] })

const CALLS: Measure = {
  title: 'Calls',
  isCount: true,
  axis: formatCount,
  text: ({ attempts }) => formatCount(attempts),
  series: [
    { title: 'Attempts', value: ({ attempts }) => attempts, text: ({ attempts }) => formatCount(attempts) },
    { title: 'Answered', value: ({ answered }) => answered, text: ({ answered }) => formatCount(answered) },
  ],
}

const axisPercent = (value: number): string => `${value} %`

const TRAFFIC: readonly Measure[] = [
  CALLS,
  measure('Minutes', true, ({ seconds }) => seconds / 60, [
    ({ seconds }) => formatMinutes(seconds),
    formatCount,
  ]),
  measure('ASR', false, asrOf, [(count) => or(formatPercent)(asrOf(count)), axisPercent]),
  measure('ACD', false, acdOf, [(count) => or(formatLength)(acdOf(count)), formatLength]),
]

/** What is drawn of an amount is rounded to a point of the screen, so a JavaScript number is enough there. */
const moneyMeasures = (currency: string): Measure[] => [
  measure('Revenue', true, ({ revenue }) => Number(revenue), [
    ({ revenue }) => formatMoney(revenue, currency),
    formatCount,
  ]),
  measure('Margin', false, marginOf, [(count) => or(formatPercent)(marginOf(count)), axisPercent]),
]

interface Traffic {
  readonly tally: Tally
  readonly slot: Slot
  readonly currency: string
  readonly hasMoney: boolean
}

/** The charts of a dashboard: calls, minutes, ASR and ACD, and revenue and margin for an account that sees money. */
export function chartsOf({ tally, slot, currency, hasMoney }: Traffic): ChartData[] {
  const slots = slotsOf(tally.hours, slot)
  const sum = sumOf(tally.hours.values())
  const measures = hasMoney ? [...TRAFFIC, ...moneyMeasures(currency)] : TRAFFIC
  return measures.map(({ title, isCount, axis, text, series }) => ({
    title: `${title} by ${slot}`,
    figure: text(sum),
    isCount,
    axis,
    slots: slots.map(([key]) => key),
    series: series.map((one) => ({
      title: one.title,
      values: slots.map(([, count]) => one.value(count) ?? null),
      texts: slots.map(([, count]) => one.text(count)),
    })),
  }))
}
