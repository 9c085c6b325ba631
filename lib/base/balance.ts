import type { Day } from './calendar.ts'
import { add, type Money, subtract, ZERO } from './money.ts'

/** The parts of the balance of an account, in the default currency (wire.md 7.5). */
export interface Balance {
  /** The opening balance, at the start of the day Balance_From. */
  readonly opening: Money
  /** The completed payments since then, net. */
  readonly paid: Money
  /** The adjustments of the journal since then. */
  readonly adjusted: Money
  /** The prices of the calls since then. */
  readonly charged: Money
  /** The charges of its subscriptions since then. */
  readonly fees: Money
}

/** The money that the owner owes the account; negative if the account owes its owner. */
export const totalOf = ({ opening, paid, adjusted, charged, fees }: Balance): Money =>
  subtract(add(opening, paid, adjusted), add(charged, fees))

export const UNLIMITED_CREDIT: Money = '-1'

/** The columns of a call that say who is charged for it. */
export interface ChargedCall {
  /** The call is on a day from Balance_From on. */
  readonly charged?: boolean | undefined
  readonly user_id: number
  readonly owner_id: number
  /** The owner is an admin, who is not charged. */
  readonly direct: boolean
  readonly user_price?: Money | undefined
  readonly reseller_price?: Money | undefined
}

/** The accounts that a call charges: its customer, and the customer's owner unless an admin (wire.md 7.5). */
export function chargesOf(call: ChargedCall): (readonly [accountId: number, price: Money])[] {
  if (!call.charged) return []
  const charges = [[call.user_id, call.user_price ?? ZERO] as const]
  return call.direct ? charges : [...charges, [call.owner_id, call.reseller_price ?? ZERO] as const]
}

export const isCharged = (day: Day, { Charged_From }: { readonly Charged_From: Day }): boolean =>
  Charged_From !== '' && day >= Charged_From
