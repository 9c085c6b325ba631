import { createSum, fixed, type Money, multiply, roundedQuotient, ZERO } from '#lib/base/money.ts'
import { type Earnings, marginOfKnown, profitOfKnown } from '#lib/calls/counters/earnings.ts'
import type { Call } from '../call.ts'
import { amountsOf, isConnected, isOfUnknownCost } from '../counters/statistics.ts'
import type { ReportRow } from './report.ts'

/** The figures about a group of calls. */
export const MEASURES = [
  'attempts',
  'answered',
  'asr',
  'acd',
  'billsec',
  'minutes',
  'revenue',
  'cost',
  'profit',
  'margin',
  'unknown_cost',
  'cost_per_minute',
  'cost_per_call',
  'unknown_cost_revenue',
] as const

export type Measure = (typeof MEASURES)[number]

/** The figures that are amounts, in the default currency. */
export const MONEY_MEASURES: readonly Measure[] = [
  'revenue',
  'cost',
  'profit',
  'cost_per_minute',
  'cost_per_call',
  'unknown_cost_revenue',
]

export const USUAL_MEASURES = MEASURES.slice(0, 11)

/** The sums of a group of calls. Revenue and cost are those of admin, as in quickstats_get. */
export function createCallSums() {
  let [attempts, answered, billsec, unknownCost, unknownSeconds] = [0, 0, 0, 0, 0]
  const [revenue, cost, unknownRevenue] = [createSum(), createSum(), createSum()]
  return {
    add: (call: Call): void => {
      attempts += 1
      if (isConnected(call.disposition)) answered += 1
      billsec += call.billsec
      const amounts = amountsOf(call, 'everyone')
      revenue.add(amounts.revenue)
      cost.add(amounts.self_cost)
      if (!isOfUnknownCost(call)) return
      unknownCost += 1
      unknownSeconds += call.billsec
      unknownRevenue.add(amounts.revenue)
    },
    addGroup: (group: CallFigures): void => {
      attempts += group.attempts
      answered += group.answered
      billsec += group.billsec
      revenue.add(group.revenue)
      cost.add(group.cost)
      unknownCost += group.unknownCost
      unknownSeconds += group.unknownSeconds ?? 0
      unknownRevenue.add(group.unknownRevenue)
    },
    figures: (): CallFigures => ({
      attempts,
      answered,
      billsec,
      revenue: revenue.total(),
      cost: cost.total(),
      unknownCost,
      unknownSeconds,
      unknownRevenue: unknownRevenue.total(),
    }),
  }
}

export type SumsBy<K> = Map<K, ReturnType<typeof createCallSums>>

/** The sums of a key, which are new if it has none. */
export function sumsUnder<K>(sums: SumsBy<K>, key: K) {
  const known = sums.get(key) ?? createCallSums()
  sums.set(key, known)
  return known
}

interface CallFigures extends Earnings {
  readonly attempts: number
  readonly answered: number
  readonly billsec: number
  /** The billed seconds of the calls whose cost is unknown; the sums of a day do not have them. */
  readonly unknownSeconds?: number
}

/** A group's measures. Amounts have these decimals; percentages, minutes and a call's seconds 2. */
export const measuresOf = (figures: CallFigures, measures: readonly Measure[], decimals: number): ReportRow =>
  Object.fromEntries(measures.map((measure) => [measure, FORMULAS[measure](figures, decimals)]))

const RATIO_DECIMALS = 2

const FORMULAS: Readonly<
  Record<Measure, (group: CallFigures, decimals: number) => string | number | undefined>
> = {
  attempts: ({ attempts }) => attempts,
  answered: ({ answered }) => answered,
  asr: ({ answered, attempts }) => ratio(answered * 100, attempts),
  acd: ({ billsec, answered }) => ratio(billsec, answered),
  billsec: ({ billsec }) => billsec,
  minutes: ({ billsec }) => ratio(billsec, 60),
  revenue: ({ revenue }, decimals) => fixed(revenue, decimals),
  cost: ({ cost }, decimals) => fixed(cost, decimals),
  profit: (group, decimals) => fixedIfKnown(profitOfKnown(group), decimals),
  margin: (group) => fixedIfKnown(marginOfKnown(group), RATIO_DECIMALS),
  unknown_cost: ({ unknownCost }) => unknownCost,
  cost_per_minute: ({ cost, billsec, unknownSeconds = 0 }, decimals) =>
    quotient(multiply(cost, 60), billsec - unknownSeconds, decimals),
  cost_per_call: ({ cost, answered, unknownCost }, decimals) =>
    quotient(cost, Math.max(0, answered - unknownCost), decimals),
  unknown_cost_revenue: ({ unknownRevenue }, decimals) => fixed(unknownRevenue, decimals),
}

const fixedIfKnown = (amount: Money | undefined, decimals: number): string | undefined =>
  amount === undefined ? undefined : fixed(amount, decimals)

/** A quotient of counts with 2 decimals; 0 if the divisor is 0. A half is exact in binary, and rounds up. */
const ratio = (count: number, by: number): string =>
  (by === 0 ? 0 : Math.round((count * 100) / by) / 100).toFixed(RATIO_DECIMALS)

/** A quotient with exactly this many decimals; 0 if the divisor is 0. */
const quotient = (amount: Money, by: number, decimals: number): string =>
  fixed(by === 0 ? ZERO : roundedQuotient(amount, String(by), decimals), decimals)
