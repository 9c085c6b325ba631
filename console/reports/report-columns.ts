import { type Money, roundedQuotient } from '#lib/base/money.ts'
import { profitOfKnown } from '#lib/calls/counters/earnings.ts'
import { formatAmount, formatCount, formatFixed, formatLength, formatPercent } from '../base/format.ts'
import { acdOf, asrOf, type Figures } from '../overview/figures.ts'

/** A column of figures: as the page shows it, and as a program reads it. */
export interface ReportColumn {
  readonly key: string
  readonly title: string
  /** Its name in the file, with its unit. */
  readonly name: string
  readonly isMoney?: true
  /** A count that only those see who see amounts. */
  readonly isOfMoney?: true
  readonly shown: (figures: Figures) => string
  readonly plain: (figures: Figures) => string
}

const SECONDS_OF_A_MINUTE = 60

const minutesOf = ({ seconds }: Figures): string =>
  roundedQuotient(String(seconds), String(SECONDS_OF_A_MINUTE), 1)

const written = (value: number | undefined, write: (value: number) => string): string =>
  value === undefined ? '' : write(value)

const money = (
  key: string,
  title: string,
  amount: (figures: Figures) => Money | undefined,
): ReportColumn => ({
  key,
  title,
  name: key,
  isMoney: true,
  shown: (figures) => formatAmount(amount(figures)),
  plain: (figures) => amount(figures) ?? '',
})

/** The figures of a report, in their order. A cell that cannot be computed is blank. */
export const COLUMNS: readonly ReportColumn[] = [
  {
    key: 'attempts',
    title: 'Attempts',
    name: 'attempts',
    shown: ({ attempts }) => formatCount(attempts),
    plain: ({ attempts }) => String(attempts),
  },
  {
    key: 'asr',
    title: 'ASR',
    name: 'asr_percent',
    shown: (figures) => written(asrOf(figures), formatPercent),
    plain: (figures) => written(asrOf(figures), (percent) => percent.toFixed(1)),
  },
  {
    key: 'acd',
    title: 'ACD',
    name: 'acd_seconds',
    shown: (figures) => written(acdOf(figures), formatLength),
    plain: (figures) => written(acdOf(figures), (seconds) => seconds.toFixed(0)),
  },
  {
    key: 'minutes',
    title: 'Minutes',
    name: 'minutes',
    shown: (figures) => formatFixed(minutesOf(figures), 1),
    plain: minutesOf,
  },
  money('revenue', 'Revenue', ({ revenue }) => revenue),
  money('cost', 'Cost', ({ cost }) => cost),
  money('margin', 'Margin', profitOfKnown),
  {
    key: 'unknown_cost',
    title: 'Cost unknown',
    name: 'unknown_cost',
    isOfMoney: true,
    shown: ({ unknownCost }) => formatCount(unknownCost),
    plain: ({ unknownCost }) => String(unknownCost),
  },
]
