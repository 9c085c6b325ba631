import { isZero, type Money, multiply, roundedQuotient, subtract, ZERO } from '#lib/base/money.ts'

/** The revenue and cost of some calls. The cost of some of them may be unknown: then they have no margin. */
export interface Earnings {
  readonly revenue: Money
  /** The revenue of the calls whose cost is known. */
  readonly cost: Money
  readonly unknownCost: number
  /** Their part of the revenue. */
  readonly unknownRevenue: Money
}

/** The profit of calls with a known cost; undefined if all that earn anything have an unknown cost. */
export function profitOfKnown({ revenue, cost, unknownCost, unknownRevenue }: Earnings): Money | undefined {
  const known = subtract(revenue, unknownRevenue)
  return unknownCost > 0 && isZero(known) && isZero(cost) ? undefined : subtract(known, cost)
}

/** The same in percent of their revenue, with 2 decimals; 0 without a revenue (wire.md 4.4). */
export function marginOfKnown(earnings: Earnings): Money | undefined {
  const profit = profitOfKnown(earnings)
  const known = subtract(earnings.revenue, earnings.unknownRevenue)
  if (profit === undefined || isZero(known)) return profit && ZERO
  return roundedQuotient(multiply(profit, 100), known, 2)
}
