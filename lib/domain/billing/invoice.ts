import { isZero, type Money, subtract } from '#lib/domain/money.ts'

/**
 * What is to be said of an invoice whose products do not come to its price, as billing systems write them that round each on its own;
 * one without products has nothing to add up to.
 */
export function totalsWarning(
  id: number,
  price: Money | undefined,
  sumOfProducts: Money | undefined,
): readonly string[] {
  if (price === undefined || sumOfProducts === undefined || isZero(subtract(price, sumOfProducts))) return []
  return [`warning: the price of invoice ${id} is ${price}, but its products add up to ${sumOfProducts}`]
}
