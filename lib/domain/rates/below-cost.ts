import { isPositive, type Money, subtract } from '#lib/domain/money.ts'

/** What a call costs whom; a price that is not known is missing. */
interface Prices {
  readonly user_price?: Money | undefined
  readonly reseller_price?: Money | undefined
  readonly provider_price?: Money | undefined
  /** Whether nobody stands between the customer and admin. */
  readonly direct: boolean
}

/** Whether somebody sells a call for less than it pays: a reseller to its customer, or admin to who pays admin. */
export function isBelowCost({ user_price, reseller_price, provider_price, direct }: Prices): boolean {
  const paidToAdmin = direct ? user_price : reseller_price
  return isLess(paidToAdmin, provider_price) || (!direct && isLess(user_price, reseller_price))
}

const isLess = (price: Money | undefined, cost: Money | undefined): boolean =>
  price !== undefined && cost !== undefined && isPositive(subtract(cost, price))
