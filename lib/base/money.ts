import Big from 'big.js'

/** An amount as decimal text. It is never a JavaScript number, neither stored, summed nor on the wire. */
export type Money = string

/** Halves are rounded away from zero (wire.md 4.4). */
const ROUNDING = Big.roundHalfUp

/** An amount has at most this many digits (wire.md 4.4). */
const MAX_DIGITS = 30

/** A quotient keeps this many decimals until it is rounded for good: more than any printed amount has. */
const QUOTIENT_DECIMALS = 40

const Decimal = Big()
Decimal.DP = QUOTIENT_DECIMALS
Decimal.RM = ROUNDING

export const ZERO: Money = '0'

export const ONE: Money = '1'

/** A plain decimal of at most 30 digits, with an optional minus sign and an optional point. */
export const isMoney = (text: string): boolean =>
  /^-?\d+(\.\d+)?$/.test(text) && text.replace(/\D/g, '').length <= MAX_DIGITS

export const isMoneyFromZero = (text: string): boolean => isMoney(text) && !text.startsWith('-')

/** Reads an amount in any decimal notation, such as `.5` or `1e-7`; `undefined` if it is not an amount. */
export function moneyOf(text: string): Money | undefined {
  const trimmed = text.trim()
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?$/i.test(trimmed)) return undefined
  const amount = new Decimal(trimmed.replace('+', '')).toFixed()
  return isMoney(amount) ? amount : undefined
}

/** An amount as the API takes it: digits on each side of the point, which may be a comma. */
const TYPED = /^-?\d{1,15}([.,]\d{1,15})?$/

/** A comma before three digits may divide thousands. */
const MISREAD = /^-?0*[1-9]\d*,\d{3}$/

/** Reads a typed amount, `12.50` or `12,50`; `undefined` for others, such as `1e3` or `1,234`. */
export const typedAmount = (text: string): Money | undefined =>
  TYPED.test(text.trim()) && !MISREAD.test(text.trim()) ? moneyOf(text.replace(',', '.')) : undefined

/**
 * Reads a plain decimal above 0, without sign or exponent (wire.md exchange_rate_update); `undefined` for
 * anything else.
 */
export const positiveOf = (text: string): Money | undefined =>
  isMoney(text) && isPositive(text) ? moneyOf(text) : undefined

export const add = (...amounts: readonly Money[]): Money =>
  exactText(exactSum(amounts.map((amount) => [amount, 1])))

/** A sum of many amounts. It parses only the new amount, unlike repeated calls of `add`. */
export function createSum() {
  let sum = new Decimal(0)
  return {
    add: (amount: Money): void => {
      sum = sum.plus(amount)
    },
    total: (): Money => sum.toFixed(),
  }
}

export const subtract = (from: Money, amount: Money): Money =>
  exactText(
    exactSum([
      [from, 1],
      [amount, -1],
    ]),
  )

export const multiply = (amount: Money, by: Money | number): Money => new Decimal(amount).times(by).toFixed()

/** Exact to 40 decimals; the divisor must not be 0. */
export const divide = (amount: Money, by: Money | number): Money => new Decimal(amount).div(by).toFixed()

export const isZero = (amount: Money): boolean => Number(exactOf(amount).units) === 0

export const isPositive = (amount: Money): boolean => exactOf(amount).units > 0

/** Rounds to this many decimals and drops trailing zeros. */
export const round = (amount: Money, decimals: number): Money =>
  new Decimal(amount).round(decimals, ROUNDING).toFixed()

/** Rounds away from zero to this many decimals. */
export const roundedUp = (amount: Money, decimals: number): Money =>
  new Decimal(amount).round(decimals, Big.roundUp).toFixed()

/** Drops the decimals after this many. */
export const truncated = (amount: Money, decimals: number): Money =>
  new Decimal(amount).round(decimals, Big.roundDown).toFixed()

export function isLessThan(amount: Money, other: Money): boolean {
  const [one, two] = [exactOf(amount), exactOf(other)]
  const decimals = Math.max(one.decimals, two.decimals)
  return unitsWith(one, decimals) < unitsWith(two, decimals)
}

/** Prints an amount with exactly this many decimals (wire.md 4.4). A zero has no sign. */
export function fixed(amount: Money, decimals: number): string {
  const rounded = new Decimal(amount).round(decimals, ROUNDING)
  return (rounded.eq(0) ? new Decimal(0) : rounded).toFixed(decimals)
}

/**
 * Adds up amounts, each divided by its own divisor, and prints the sum with this many decimals. The sum stays
 * a fraction until then, so it is rounded once (wire.md 4.4). No divisor may be 0.
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

/** An amount and its factor. */
export type MoneyTerm = readonly [amount: Money, by: Money | number]

export const sumOfProducts = (products: readonly MoneyTerm[]): Money => exactText(exactSum(products))

/** Divides, rounds and drops trailing zeros in one step: rounding twice may round a half the wrong way. */
export const roundedQuotient = (amount: Money, by: Money, decimals: number): Money =>
  roundedQuotientOfProducts([[amount, 1]], [by, 1], decimals)

/** Divides a sum of products by a product, which must not be 0, and rounds once. */
export function roundedQuotientOfProducts(
  products: readonly MoneyTerm[],
  by: MoneyTerm,
  decimals: number,
): Money {
  const [sum, divisor] = [exactSum(products), exactProduct(by)]
  const shift = decimals + divisor.decimals - sum.decimals
  const numerator = times(sum.units, powerOfTen(Math.max(shift, 0)))
  const denominator = times(divisor.units, powerOfTen(Math.max(-shift, 0)))
  return exactText({ units: roundedDivision(numerator, denominator), decimals })
}

/** A whole number: a bigint only where a number would not be exact. Numbers take a tenth of the time. */
type Whole = number | bigint

/** An amount in units of its last decimal. */
interface Exact {
  readonly units: Whole
  readonly decimals: number
}

function times(one: Whole, other: Whole): Whole {
  const product = typeof one === 'number' && typeof other === 'number' ? one * other : Number.NaN
  return Number.isSafeInteger(product) ? product : BigInt(one) * BigInt(other)
}

function plus(one: Whole, other: Whole): Whole {
  const sum = typeof one === 'number' && typeof other === 'number' ? one + other : Number.NaN
  return Number.isSafeInteger(sum) ? sum : BigInt(one) + BigInt(other)
}

/** Rounds halves away from zero. */
function roundedDivision(amount: Whole, by: Whole): Whole {
  if (typeof amount === 'number' && typeof by === 'number') {
    const rest = amount % by
    const whole = (amount - rest) / by
    if (Math.abs(rest) * 2 < Math.abs(by)) return whole
    return amount < 0 === by < 0 ? whole + 1 : whole - 1
  }
  const [numerator, denominator] = [absolute(BigInt(amount)), absolute(BigInt(by))]
  const whole = numerator / denominator
  const units = (numerator - whole * denominator) * 2n < denominator ? whole : whole + 1n
  return amount < 0 === by < 0 ? units : -units
}

const absolute = (units: bigint): bigint => (units < 0n ? -units : units)

const exactOf = (amount: Money | number): Exact =>
  typeof amount === 'number' && Number.isSafeInteger(amount)
    ? { units: amount, decimals: 0 }
    : (shortAmount(String(amount)) ?? longAmount(String(amount)))

/** Numbers are exact up to this many digits. */
const MAX_NUMBER_DIGITS = 15

/** Reads digits that may have a point; `undefined` for another notation and for more digits. */
function shortAmount(text: string): Exact | undefined {
  const point = text.indexOf('.')
  if (point === 0 || point === text.length - 1 || text.length > MAX_NUMBER_DIGITS) return undefined
  let units = 0
  for (let at = 0; at < text.length; at += 1) {
    if (at === point) continue
    const digit = text.charCodeAt(at) - ZERO_CODE
    if (digit < 0 || digit > 9) return undefined
    units = units * 10 + digit
  }
  return { units, decimals: point < 0 ? 0 : text.length - point - 1 }
}

const ZERO_CODE = '0'.charCodeAt(0)

function longAmount(text: string): Exact {
  const plain = new Decimal(text).toFixed()
  const point = plain.indexOf('.')
  if (point < 0) return { units: BigInt(plain), decimals: 0 }
  return { units: BigInt(plain.slice(0, point) + plain.slice(point + 1)), decimals: plain.length - point - 1 }
}

function exactProduct([amount, by]: MoneyTerm): Exact {
  const [one, other] = [exactOf(amount), exactOf(by)]
  return { units: times(one.units, other.units), decimals: one.decimals + other.decimals }
}

function exactSum(products: readonly MoneyTerm[]): Exact {
  let sum: Exact = NOTHING
  for (const product of products) sum = plusExact(sum, exactProduct(product))
  return sum
}

const NOTHING: Exact = { units: 0, decimals: 0 }

function plusExact(one: Exact, other: Exact): Exact {
  const decimals = Math.max(one.decimals, other.decimals)
  return { units: plus(unitsWith(one, decimals), unitsWith(other, decimals)), decimals }
}

const unitsWith = ({ units, decimals }: Exact, wanted: number): Whole =>
  times(units, powerOfTen(wanted - decimals))

const POWERS_OF_TEN = Array.from({ length: MAX_NUMBER_DIGITS }, (_, exponent) => 10 ** exponent)

const powerOfTen = (exponent: number): Whole => POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent)

/** Without trailing zeros after the point. */
function exactText({ units, decimals }: Exact): Money {
  const isNegative = units < 0
  const digits = String(isNegative ? -units : units).padStart(decimals + 1, '0')
  const whole = digits.length - decimals
  let end = digits.length
  while (end > whole && digits[end - 1] === '0') end -= 1
  const text =
    end === whole ? digits.slice(0, whole) : `${digits.slice(0, whole)}.${digits.slice(whole, end)}`
  return isNegative ? `-${text}` : text
}

/** The decimals of printed amounts, at most as many as an amount can have (wire.md 4.4). */
export const niceDigits = ({
  Nice_Number_Digits,
}: {
  readonly Nice_Number_Digits: number | undefined
}): number => Math.min(Nice_Number_Digits ?? 4, MAX_DIGITS)

/** Decimals that need no conversion: no exponent, no extra zeros. Nearly all stored amounts match. */
const PLAIN = /^(?:0|-?[1-9]\d*|-?(?:0|[1-9]\d*)\.\d*[1-9])$/

/** Prints all digits of an amount, and at least one after the point: `0.987`, `10.0` (wire.md 4.4). */
export function fullPrecision(amount: Money): string {
  const text = PLAIN.test(amount) ? amount : new Decimal(amount).toFixed()
  return text.includes('.') ? text : `${text}.0`
}
