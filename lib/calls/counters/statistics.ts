import { namesIn } from '#lib/base/collections.ts'
import { add, isZero, type Money, multiply, roundedQuotient, subtract, ZERO } from '#lib/base/money.ts'
import type { ScopeKind } from '#lib/base/scope.ts'
import { FREE_REASONS, isBelowCost } from '#lib/rates/rating.ts'

/** The sums of the calls of a scope and a day. */
export interface Tally {
  readonly calls: number
  /** Answered calls have the technical hangup cause 16 (wire.md quickstats_get). */
  readonly answered: number
  /** Seconds of the answered calls; what follows counts only these, too. */
  readonly billsec: number
  readonly revenue: Money
  readonly self_cost: Money
}

export const NOTHING: Tally = { calls: 0, answered: 0, billsec: 0, revenue: ZERO, self_cost: ZERO }

export const TALLIED = namesIn(NOTHING)

/** Whether what was noted of some calls equals their counters. */
export const isSameTally = (noted: Tally | undefined, tally: Tally): boolean =>
  noted !== undefined && TALLIED.every((name) => noted[name] === tally[name])

/** The part of a call that counts. A price that is not known counts as nothing. */
interface CountedCall {
  readonly hangupcause: number
  readonly billsec: number
  readonly disposition?: string
  /** The payers whose prices were rated here, or why the call costs nothing. */
  readonly rated?: string
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

/** Counts and amounts under their names. */
export type Sums = object

const entriesIn = (sums: Sums) => Object.entries(sums) as [string, number | Money][]

/** Adds up sums name by name. A name that one of them lacks is 0 there. */
export function addSums<S extends Sums>(one: S, other: Sums): S {
  const sums = { ...one } as Record<string, number | Money>
  for (const [name, by] of entriesIn(other)) sums[name] = sumOf(sums[name], by)
  return sums as S
}

const sumOf = (sum: number | Money = 0, by: number | Money): number | Money =>
  typeof by === 'number' ? Number(sum) + by : add(String(sum), by)

export const addTallies = (...tallies: readonly Tally[]): Tally => tallies.reduce(addSums, NOTHING)

/** The sums that subtract a call. */
export const negative = <S extends Sums>(sums: S): S =>
  Object.fromEntries(
    entriesIn(sums).map(([name, sum]) => [name, typeof sum === 'number' ? -sum : subtract(ZERO, sum)]),
  ) as S

export const isNothing = (sums: Sums): boolean => entriesIn(sums).every(([, sum]) => Number(sum) === 0)

/** Sums of all calls of a scope and day, of any hangup cause. A scope has those of its kind. */
export interface FurtherSums {
  /** The scope's charge: a customer's `user_price`, an owner's `reseller_price` for its customers. */
  readonly charged: Money
  /** Changes that altered a sum: calls that came, were corrected, re-rated, moved or removed. */
  readonly changes: number
  /** Calls whose disposition is ANSWERED. */
  readonly connected: number
  readonly seconds: number
  /** The revenue and the cost of admin. */
  readonly earned: Money
  readonly cost: Money
  /** Answered calls whose cost for admin is unknown, and their revenue, which no margin counts. */
  readonly unknown_cost: number
  readonly unknown_cost_revenue: Money
  /** Calls that cost more than they earn. */
  readonly below_cost: number
}

export const NO_FURTHER: FurtherSums = {
  charged: ZERO,
  changes: 0,
  connected: 0,
  seconds: 0,
  earned: ZERO,
  cost: ZERO,
  unknown_cost: 0,
  unknown_cost_revenue: ZERO,
  below_cost: 0,
}

/** One call in the further sums of a scope; `changes` is not of the call. */
export function furtherSumsOf(call: CountedCall, kind: ScopeKind): Partial<FurtherSums> {
  const { user_price = ZERO, reseller_price = ZERO, provider_price = ZERO, disposition = '', billsec } = call
  if (kind === 'owner') return { charged: reseller_price }
  if (kind === 'everyone') return costSumsOf(call)
  return {
    charged: user_price,
    connected: isConnected(disposition) ? 1 : 0,
    seconds: billsec,
    earned: amountsOf(call, 'everyone').revenue,
    cost: provider_price,
    ...costSumsOf(call),
  }
}

export const isConnected = (disposition: string): boolean => /^answered$/i.test(disposition)

const costSumsOf = (call: CountedCall) => {
  const isUnknown = isOfUnknownCost(call)
  return {
    unknown_cost: isUnknown ? 1 : 0,
    unknown_cost_revenue: isUnknown ? amountsOf(call, 'everyone').revenue : ZERO,
    below_cost: isBelowCost(call) ? 1 : 0,
  }
}

/** An answered call over a carrier, whose price is unknown. */
export const isOfUnknownCost = ({ hangupcause, billsec, provider_price, rated = '' }: CountedCall): boolean =>
  hangupcause === NORMAL_CLEARING &&
  billsec > 0 &&
  provider_price === undefined &&
  !FREE_REASONS.some((reason) => reason === rated)

type Amounts = Pick<Tally, 'revenue' | 'self_cost'>

export const profitOf = ({ revenue, self_cost }: Amounts): Money => subtract(revenue, self_cost)

/** The margin in percent of the revenue, with 2 decimals; 0 when there is no revenue (wire.md 4.4). */
export function marginOf(tally: Amounts): Money {
  if (isZero(tally.revenue)) return ZERO
  return roundedQuotient(multiply(profitOf(tally), 100), tally.revenue, 2)
}
