import { isZero, type Money, subtract } from '#lib/domain/money.ts'

/** Why an invoice is not accepted with its products; one without any has nothing to add up to. */
export function totalsProblem(price: Money, sumOfProducts: Money | undefined): string | undefined {
  if (sumOfProducts === undefined || isZero(subtract(price, sumOfProducts))) return undefined
  return `price is ${price}, but its products add up to ${sumOfProducts}`
}
