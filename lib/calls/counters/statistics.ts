import { namesIn } from '#lib/base/collections.ts'
import { add, isZero, type Money, multiply, roundedQuotient, subtract, ZERO } from '#lib/base/money.ts'
import type { ScopeKind } from '#lib/base/scope.ts'

/** The sums of the calls of a scope and a day. */
export interface Tally {
  /** All of them. */
  readonly calls: number
  /** Answered calls have the technical hangup cause 16 (wire.md quickstats_get). */
  readonly answered: number
  /** Seconds of the answered calls; what follows counts only these, too. */
  readonly billsec: number
  readonly revenue: Money
  readonly self_cost: Money
}

export const NOTHING: Tally = { calls: 0, answered: 0, billsec: 0, revenue: ZERO, self_cost: ZERO }

/** The names of the sums. */
export const TALLIED = namesIn(NOTHING)

/** Whether what was noted of some calls equals their counters. */
export const isSameTally = (noted: Tally | undefined, tally: Tally): boolean =>
  noted !== undefined && TALLIED.every((name) => noted[name] === tally[name])

/** The part of a call that counts. A price that is not known counts as nothing. */
export interface CountedCall {
  readonly hangupcause: number
  readonly billsec: number
  /** Whether the customer belongs to admin; otherwise admin's revenue is what the owner pays. */
  readonly direct: boolean
  readonly user_price?: Money | undefined
  readonly reseller_price?: Money | undefined
  readonly provider_price?: Money | undefined
}

const NORMAL_CLEARING = 16

/** One call as a scope counts it (wire.md quickstats_get). */
export function tallyOf(call: CountedCall, kind: ScopeKind): Tally {
  if (call.hangupcause !== NORMAL_CLEARING) return { ...NOTHING, calls: 1 }
  return { calls: 1, answered: 1, billsec: call.billsec, ...amountsOf(call, kind) }
}

/** The revenue and the cost of a call for a scope (wire.md quickstats_get). */
export function amountsOf(call: CountedCall, kind: ScopeKind): Amounts {
  const { user_price = ZERO, reseller_price = ZERO, provider_price = ZERO } = call
  if (kind === 'user') return { revenue: ZERO, self_cost: ZERO }
  if (kind === 'owner') return { revenue: user_price, self_cost: reseller_price }
  return { revenue: call.direct ? user_price : reseller_price, self_cost: provider_price }
}

export const addTallies = (...tallies: readonly Tally[]): Tally =>
  tallies.reduce(
    (sum, tally) => ({
      calls: sum.calls + tally.calls,
      answered: sum.answered + tally.answered,
      billsec: sum.billsec + tally.billsec,
      revenue: add(sum.revenue, tally.revenue),
      self_cost: add(sum.self_cost, tally.self_cost),
    }),
    NOTHING,
  )

/** The tally that subtracts a call. */
export const negative = ({ calls, answered, billsec, revenue, self_cost }: Tally): Tally => ({
  calls: -calls,
  answered: -answered,
  billsec: -billsec,
  revenue: subtract(ZERO, revenue),
  self_cost: subtract(ZERO, self_cost),
})

type Amounts = Pick<Tally, 'revenue' | 'self_cost'>

export const profitOf = ({ revenue, self_cost }: Amounts): Money => subtract(revenue, self_cost)

/** The margin in percent of the revenue, with 2 decimals; 0 when there is no revenue (wire.md 4.4). */
export function marginOf(tally: Amounts): Money {
  if (isZero(tally.revenue)) return ZERO
  return roundedQuotient(multiply(profitOf(tally), 100), tally.revenue, 2)
}
