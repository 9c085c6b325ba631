import { memoize } from '#lib/base/collections.ts'
import type { Money } from '#lib/base/money.ts'
import { countOf } from '#lib/base/text.ts'

const COUNTS = new Intl.NumberFormat('en')

/** A hyphen parts words and dates; a number has a minus sign. */
export const withMinus = (number: string): string => number.replace('-', '\u2212')

export const formatCount = (count: number): string => withMinus(COUNTS.format(count))

/** Such as "1 call" and "2,000 calls". */
export const formatCounted = (count: number, noun: string): string => countOf(count, noun, formatCount(count))

/** A fraction of a hundred, with one decimal. */
export const formatPercent = (percent: number): string => withMinus(`${percent.toFixed(1)} %`)

export function formatLength(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

const DECIMALS_OF_AMOUNTS = 2

export function formatMoney(amount: Money, currency: string): string {
  const options = { minimumFractionDigits: DECIMALS_OF_AMOUNTS, maximumFractionDigits: DECIMALS_OF_AMOUNTS }
  const isCode = /^[A-Z]{3}$/i.test(currency)
  const style = isCode ? ({ style: 'currency', currency } as const) : {}
  // Intl reads decimal text exactly, without a JavaScript number in between.
  const text = withMinus(new Intl.NumberFormat('en', { ...style, ...options }).format(amount as `${number}`))
  return isCode ? text : `${text} ${currency}`.trim()
}

/** A blank is a dash. */
export const BLANK = '–'

export const dash = (text: string | null | undefined): string => text || BLANK

/** An amount of an account or a document, in its currency. A missing one is a dash. */
export const formatAmount = (amount: Money | null | undefined): string =>
  formatFixed(amount, DECIMALS_OF_AMOUNTS)

/** Decimal text with a fixed number of decimals, for a column of amounts. */
export const formatFixed = (amount: Money | null | undefined, decimals: number): string =>
  amount === null || amount === undefined
    ? BLANK
    : withMinus(formatWith(decimals).format(amount as `${number}`))

/** To make a format takes longer than to write a hundred amounts with it. */
const formatWith = memoize(
  (decimals: number) =>
    new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }),
)

/** The largest number of decimals in a column of amounts, which all of its amounts are written with. */
export const decimalsIn = (amounts: readonly Money[]): number =>
  Math.max(0, ...amounts.map((amount) => amount.split('.')[1]?.length ?? 0))

/** Days are written as the API writes them. */
export const formatDays = (from = '', till = from): string => (from === till ? from : `${from} – ${till}`)
