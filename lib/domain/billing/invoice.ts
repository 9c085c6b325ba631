import { isZero, type Money, subtract } from '#lib/domain/money.ts'

/**
 * Warns about an invoice whose products do not add up to its price. Billing systems that round each product on its own
 * write such invoices, so they are accepted. An invoice without products has no sum to compare.
 */
export function invoiceTotalsWarning(
  id: number,
  price: Money | undefined,
  sumOfProducts: Money | undefined,
): readonly string[] {
  if (price === undefined || sumOfProducts === undefined || isZero(subtract(price, sumOfProducts))) return []
  return [`warning: the price of invoice ${id} is ${price}, but its products add up to ${sumOfProducts}`]
}
