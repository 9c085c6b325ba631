import { formatCount, formatLength, formatMinutes, formatMoney, formatPercent } from '../format.ts'
import {
  acdOf,
  asrOf,
  type Count,
  marginPercentOf,
  type Slot,
  slotsOf,
  sumOfCounts,
  type Tally,
} from './tally.ts'
import type { Viewer } from './viewer.ts'

/** Values over time, and how they are written. */
export interface Series {
  readonly title: string
  readonly values: readonly (number | null)[]
  readonly texts: readonly string[]
  /** The value of the whole period. */
  readonly figure: string
}

/** Formats the numbers of an axis. */
export interface Axis {
  readonly write: (value: number) => string
  /** The steps between two of them to choose from. */
  readonly steps: number[]
}

export interface ChartData {
  readonly title: string
  /** Counts are drawn as bars, ratios as a line. */
  readonly isCount: boolean
  readonly axis: Axis
  /** The hours or days, as the installation's zone has them. */
  readonly slots: readonly string[]
  /** Drawn one over the other, the largest first. */
  readonly series: readonly Series[]
}

interface Measure {
  readonly title: string
  readonly isCount: boolean
  readonly axis: Axis
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

const decades = (digits: readonly number[]): number[] =>
  Array.from({ length: 9 }, (_, zeros) => digits.map((digit) => digit * 10 ** zeros)).flat()

/** Whole numbers only. */
const COUNTS: Axis = { write: formatCount, steps: decades([1, 2, 5]) }
const PERCENTS: Axis = { write: (value) => `${value} %`, steps: decades([1, 2, 5]) }
/** Seconds, in steps of a clock. */
const LENGTHS: Axis = {
  write: formatLength,
  steps: [15, 30, ...[1, 2, 5, 10, 20, 30, 60, 120].map((m) => m * 60)],
}

const count = (title: string, series: SeriesOf): Measure => ({
  title,
  isCount: true,
  axis: COUNTS,
  series: [series],
})

const ratio = (series: SeriesOf, axis: Axis): Measure => ({
  title: series.title,
  isCount: false,
  axis,
  series: [series],
})

const TRAFFIC: readonly Measure[] = [
  {
    title: 'Calls',
    isCount: true,
    axis: COUNTS,
    series: [
      { title: 'Attempts', value: ({ attempts }) => attempts, text: ({ attempts }) => formatCount(attempts) },
      { title: 'Answered', value: ({ answered }) => answered, text: ({ answered }) => formatCount(answered) },
    ],
  },
  count('Minutes', {
    title: 'Minutes',
    value: ({ seconds }) => seconds / 60,
    text: ({ seconds }) => formatMinutes(seconds),
  }),
  ratio({ title: 'ASR', value: asrOf, text: (sum) => or(formatPercent)(asrOf(sum)) }, PERCENTS),
  ratio({ title: 'ACD', value: acdOf, text: (sum) => or(formatLength)(acdOf(sum)) }, LENGTHS),
]

/** A drawn amount is rounded to a point of the screen, so a JavaScript number is exact enough. */
const moneyMeasures = (currency: string): Measure[] => [
  count('Revenue', {
    title: 'Revenue',
    value: ({ revenue }) => Number(revenue),
    text: ({ revenue }) => formatMoney(revenue, currency),
  }),
  ratio(
    { title: 'Margin', value: marginPercentOf, text: (sum) => or(formatPercent)(marginPercentOf(sum)) },
    PERCENTS,
  ),
]

/** The charts of a dashboard: calls, minutes, ASR and ACD, and revenue and margin for an account that sees money. */
export function chartsOf(tally: Tally, slot: Slot, { moneyOf, currency }: Viewer): ChartData[] {
  const slots = slotsOf(tally.hours, slot)
  const sum = sumOfCounts(tally.hours.values())
  const measures = moneyOf === 'none' ? TRAFFIC : [...TRAFFIC, ...moneyMeasures(currency)]
  return measures.map(({ title, isCount, axis, series }) => ({
    title: `${title} by ${slot}`,
    isCount,
    axis,
    slots: slots.map(([key]) => key),
    series: series.map((one) => ({
      title: one.title,
      figure: one.text(sum),
      values: slots.map(([, slotCount]) => one.value(slotCount) ?? null),
      texts: slots.map(([, slotCount]) => one.text(slotCount)),
    })),
  }))
}
