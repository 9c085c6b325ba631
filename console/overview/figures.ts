import type { FiguresOfDay } from '#lib/api/console/answers/calls.ts'
import { add, ZERO } from '#lib/base/money.ts'
import { profitOfKnown } from '#lib/calls/counters/earnings.ts'
import { formatCount, formatLength, formatMoney, formatPercent } from '../base/format.ts'

/** The sums of a day, or of a group of calls. */
export type Figures = Omit<FiguresOfDay, 'day'>

export const NO_CALLS: Figures = {
  attempts: 0,
  answered: 0,
  seconds: 0,
  revenue: ZERO,
  cost: ZERO,
  unknownCost: 0,
  unknownRevenue: ZERO,
}

const plus = (one: Figures, other: Figures): Figures => ({
  attempts: one.attempts + other.attempts,
  answered: one.answered + other.answered,
  seconds: one.seconds + other.seconds,
  revenue: add(one.revenue, other.revenue),
  cost: add(one.cost, other.cost),
  unknownCost: one.unknownCost + other.unknownCost,
  unknownRevenue: add(one.unknownRevenue, other.unknownRevenue),
})

export const sumOfFigures = (figures: readonly Figures[]): Figures => figures.reduce(plus, NO_CALLS)

/** A share of no calls is undefined. */
const share = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : part / whole)

/** In percent. */
export const asrOf = ({ answered, attempts }: Figures): number | undefined => share(answered * 100, attempts)

/** In seconds. */
export const acdOf = ({ seconds, answered }: Figures): number | undefined => share(seconds, answered)

/** A figure about some calls. */
export interface MeasureOfDays {
  readonly name: string
  readonly title: string
  readonly isMoney?: true
  /** Says nothing to a customer. */
  readonly isTechnical?: true
  /** Undefined where it cannot be computed, such as a share of no calls. */
  readonly value: (figures: Figures) => number | undefined
  readonly write: (value: number, currency: string) => string
}

const writeMoney = (value: number, currency: string): string => formatMoney(value.toFixed(2), currency)

export const ATTEMPTS: MeasureOfDays = {
  name: 'attempts',
  title: 'Attempts',
  value: ({ attempts }) => attempts,
  write: formatCount,
}

/** The tiles of the overview, in their order. The chart shows any of them. */
export const TILES: readonly MeasureOfDays[] = [
  {
    name: 'revenue',
    title: 'Revenue',
    isMoney: true,
    value: ({ revenue }) => Number(revenue),
    write: writeMoney,
  },
  {
    name: 'margin',
    title: 'Margin',
    isMoney: true,
    value: (figures) => {
      const margin = profitOfKnown(figures)
      return margin === undefined ? undefined : Number(margin)
    },
    write: writeMoney,
  },
  {
    name: 'minutes',
    title: 'Minutes',
    value: ({ seconds }) => seconds / 60,
    write: (value) => formatCount(Math.round(value)),
  },
  ATTEMPTS,
  { name: 'asr', title: 'ASR', value: asrOf, write: formatPercent, isTechnical: true },
  { name: 'acd', title: 'ACD', value: acdOf, write: formatLength, isTechnical: true },
]

/** The change from the period before, such as `+4.2 %`; undefined if there is nothing to compare with. */
export function percentChange(now: number | undefined, before: number | undefined): number | undefined {
  if (now === undefined || before === undefined || before === 0) return undefined
  return ((now - before) / Math.abs(before)) * 100
}

export const writeChange = (change: number): string => `${change < 0 ? '' : '+'}${formatPercent(change)}`
