import type { FiguresOfDay } from '#lib/api/console/answers/traffic.ts'
import { add, subtract, ZERO } from '#lib/domain/money.ts'
import { formatCount, formatLength, formatMoney, formatPercent } from '../format.ts'

/** A figure about some days of calls. */
export interface MeasureOfDays {
  readonly name: string
  readonly title: string
  readonly isMoney?: true
  /** Undefined where it cannot be computed, such as a share of no calls. */
  readonly value: (days: readonly Figures[]) => number | undefined
  readonly write: (value: number, currency: string) => string
}

/** The sums of a day, or of a group of calls. */
export type Figures = Omit<FiguresOfDay, 'day'>

type Count = 'attempts' | 'answered' | 'seconds'

const sumOf = (days: readonly Figures[], name: Count): number => days.reduce((sum, day) => sum + day[name], 0)

const amountOf = (days: readonly Figures[], name: 'revenue' | 'cost'): string =>
  add(ZERO, ...days.map((day) => day[name]))

const share = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : part / whole)

const marginOf = (days: readonly Figures[]): string =>
  subtract(amountOf(days, 'revenue'), amountOf(days, 'cost'))

const writeMoney = (value: number, currency: string): string => formatMoney(value.toFixed(2), currency)

/** The tiles of the overview, in their order. The chart shows any of them. */
export const TILES: readonly MeasureOfDays[] = [
  { name: 'attempts', title: 'Attempts', value: (days) => sumOf(days, 'attempts'), write: formatCount },
  {
    name: 'asr',
    title: 'ASR',
    value: (days) => share(sumOf(days, 'answered') * 100, sumOf(days, 'attempts')),
    write: formatPercent,
  },
  {
    name: 'acd',
    title: 'ACD',
    value: (days) => share(sumOf(days, 'seconds'), sumOf(days, 'answered')),
    write: formatLength,
  },
  {
    name: 'minutes',
    title: 'Minutes',
    value: (days) => sumOf(days, 'seconds') / 60,
    write: (value) => formatCount(Math.round(value)),
  },
  {
    name: 'revenue',
    title: 'Revenue',
    isMoney: true,
    value: (days) => Number(amountOf(days, 'revenue')),
    write: writeMoney,
  },
  {
    name: 'margin',
    title: 'Margin',
    isMoney: true,
    value: (days) => Number(marginOf(days)),
    write: writeMoney,
  },
]

/** The change from the period before, such as `+4.2 %`; undefined if there is nothing to compare with. */
export function percentChange(now: number | undefined, before: number | undefined): number | undefined {
  if (now === undefined || before === undefined || before === 0) return undefined
  return ((now - before) / Math.abs(before)) * 100
}

export const writeChange = (change: number): string =>
  `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)} %`
