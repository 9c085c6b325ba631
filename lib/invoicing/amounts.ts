import { minorDigits } from '#lib/base/currency-digits.ts'
import { add, fixed, type Money, multiply, round, ZERO } from '#lib/base/money.ts'

/** The currency of a document, and the rate and the VAT at which it is issued. */
export interface Terms {
  readonly currency: string
  /** Units of the currency for one unit of the default currency. */
  readonly exchange_rate: Money
  /** Blank: no VAT. */
  readonly vat_percent: Money | undefined
}

/** A row's sum in the default currency, converted and rounded once to the minor unit, half away from zero. */
export const rowSum = (exact: Money, { currency, exchange_rate }: Terms): Money =>
  round(multiply(exact, exchange_rate), minorDigits(currency))

/** The net is the sum of rounded rows; the VAT is rounded once (EN 16931: BR-CO-10, -15, -17). */
export interface Totals {
  readonly net: Money
  readonly vat: Money
  readonly gross: Money
}

export function documentTotals(sums: readonly Money[], { currency, vat_percent = ZERO }: Terms): Totals {
  const net = add(...sums)
  const vat = round(multiply(multiply(net, vat_percent), '0.01'), minorDigits(currency))
  return { net, vat, gross: add(net, vat) }
}

export const inMinorUnits = (amount: Money, currency: string): string => fixed(amount, minorDigits(currency))
