import { memoize } from '#lib/base/collections.ts'
import type { Money } from '#lib/base/money.ts'

const COUNTS = new Intl.NumberFormat('en')

export const formatCount = (count: number): string => COUNTS.format(count)

/** A fraction of a hundred, with one decimal. */
export const formatPercent = (percent: number): string => `${percent.toFixed(1)} %`

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
  const text = new Intl.NumberFormat('en', { ...style, ...options }).format(amount as `${number}`)
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
  amount === null || amount === undefined ? BLANK : formatWith(decimals).format(amount as `${number}`)

/** To make a format takes longer than to write a hundred amounts with it. */
const formatWith = memoize(
  (decimals: number) =>
    new Intl.NumberFormat('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }),
)

/** The largest number of decimals in a column of amounts: all of them are written with as many. */
export const decimalsIn = (amounts: readonly Money[]): number =>
  Math.max(0, ...amounts.map((amount) => amount.split('.')[1]?.length ?? 0))

const MONTHS = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' })

export function formatDays(from = '', till = from): string {
  const inWords = (day: string) => `${Number(day.slice(8))} ${MONTHS.format(new Date(day))}`
  if (from === till) return inWords(from)
  const isSameMonth = from.slice(0, 7) === till.slice(0, 7)
  return `${isSameMonth ? Number(from.slice(8)) : inWords(from)} to ${inWords(till)}`
}
