import { add, type Money, subtract } from '#lib/domain/money.ts'

/** The parts of the balance of an account, in the default currency (wire.md 7.5). */
export interface Balance {
  /** What the account had on the day Balance_From. */
  readonly opening: Money
  /** The completed payments since then, net. */
  readonly paid: Money
  /** The adjustments of the journal since then. */
  readonly adjusted: Money
  /** The prices of the calls since then. */
  readonly charged: Money
}

/** What the owner owes the account; negative if the account owes its owner. */
export const totalOf = ({ opening, paid, adjusted, charged }: Balance): Money =>
  subtract(add(opening, paid, adjusted), charged)
