import Big from 'big.js'

/** An amount, as its decimal text. Money is never a JavaScript number: not in storage, not in sums, not on the wire. */
export type Money = string

/** A half is rounded away from zero (wire.md 4.4). */
const ROUNDING = Big.roundHalfUp

/** An amount has at most this many digits (wire.md 4.4). */
const MOST_DIGITS = 30

/** A quotient keeps this many decimals until it is rounded for good: more than any printed amount has. */
const QUOTIENT_DECIMALS = 40

const Decimal = Big()
Decimal.DP = QUOTIENT_DECIMALS
Decimal.RM = ROUNDING
/** No amount is ever written with an exponent. */
Decimal.NE = -1000
Decimal.PE = 1000

export const ZERO: Money = '0'

export const ONE: Money = '1'

/** A plain decimal, at most 30 digits: an optional sign, digits, perhaps a point and digits. */
export const isMoney = (text: string): boolean =>
  /^-?\d+(\.\d+)?$/.test(text) && text.replace(/\D/g, '').length <= MOST_DIGITS

/** An amount in any notation that is a number (`.5`, `1e-7`) in plain decimals; `undefined` when it is not one. */
export function moneyOf(text: string): Money | undefined {
  const trimmed = text.trim()
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,2})?$/i.test(trimmed)) return undefined
  const amount = new Decimal(trimmed.replace(/^\+/, '')).toFixed()
  return isMoney(amount) ? amount : undefined
}

/** A plain decimal above 0, without sign or exponent (wire.md exchange_rate_update); `undefined` for anything else. */
export const positiveOf = (text: string): Money | undefined =>
  isMoney(text) && isPositive(text) ? moneyOf(text) : undefined

export const add = (...amounts: readonly Money[]): Money =>
  amounts.reduce((sum, amount) => sum.plus(amount), new Decimal(0)).toFixed()

export const subtract = (from: Money, amount: Money): Money => new Decimal(from).minus(amount).toFixed()

export const multiply = (amount: Money, by: Money | number): Money => new Decimal(amount).times(by).toFixed()

/** Exact to 40 decimals; the divisor must not be 0. */
export const divide = (amount: Money, by: Money | number): Money => new Decimal(amount).div(by).toFixed()

export const isZero = (amount: Money): boolean => new Decimal(amount).eq(0)

export const isPositive = (amount: Money): boolean => new Decimal(amount).gt(0)

/** Rounded to this many decimals, trailing zeros dropped. */
export const round = (amount: Money, decimals: number): Money =>
  new Decimal(amount).round(decimals, ROUNDING).toFixed()

/** Prints an amount with exactly this many decimals (wire.md 4.4). A zero has no sign. */
export function fixed(amount: Money, decimals: number): string {
  const rounded = new Decimal(amount).round(decimals, ROUNDING)
  return (rounded.eq(0) ? new Decimal(0) : rounded).toFixed(decimals)
}

/**
 * The sum of amounts, each divided by a number of its own, printed with this many decimals. The sum is kept as a
 * fraction until then, so that it is rounded once (wire.md 4.4). No divisor may be 0.
 */
export function fixedSumOfQuotients(
  quotients: readonly (readonly [amount: Money, by: Money])[],
  decimals: number,
): string {
  let [numerator, denominator] = [new Decimal(0), new Decimal(1)]
  for (const [amount, by] of quotients) {
    numerator = numerator.times(by).plus(denominator.times(amount))
    denominator = denominator.times(by)
  }
  return fixed(roundedQuotient(numerator.toFixed(), denominator.toFixed(), decimals), decimals)
}

/** Divided and rounded in one step, trailing zeros dropped: a quotient rounded twice may turn a half the wrong way. */
export function roundedQuotient(amount: Money, by: Money, decimals: number): Money {
  const Rounded = Big()
  Object.assign(Rounded, { DP: decimals, RM: ROUNDING, NE: Decimal.NE, PE: Decimal.PE })
  return new Rounded(amount).div(by).toFixed()
}

/** Decimals of printed amounts (wire.md 4.4); more than an amount can have count as the most it can. */
export const niceDigits = ({
  Nice_Number_Digits,
}: {
  readonly Nice_Number_Digits: number | undefined
}): number => Math.min(Nice_Number_Digits ?? 4, MOST_DIGITS)

/** A decimal without exponent and without needless zeros: hardly any stored amount is another one. */
const PLAIN = /^(?:0|-?[1-9]\d*|-?(?:0|[1-9]\d*)\.\d*[1-9])$/

/** Prints an amount as it is stored, with at least one digit after the point: `0.987`, `10.0` (wire.md 4.4). */
export function asStored(amount: Money): string {
  const text = PLAIN.test(amount) ? amount : new Decimal(amount).toFixed()
  return text.includes('.') ? text : `${text}.0`
}
