import { isCharged } from '#lib/base/balance.ts'
import { type Day, dayOf, type Seconds } from '#lib/base/calendar.ts'
import { type Money, ONE, roundedQuotient } from '#lib/base/money.ts'
import { RowRefused } from '#lib/base/row-refused.ts'

/** A payment or an adjustment, as far as balances count it. */
export interface Bookable {
  readonly amount: Money
  /** Blank: the default currency. */
  readonly currency?: string
  readonly date: Seconds
  readonly confirm_date?: Seconds | undefined
  /** An adjustment is always complete. */
  readonly completed?: boolean
  readonly booked?: Money | undefined
  /** What it books in place of its amount: the net of the invoice that it pays. */
  readonly net?: Money | undefined
}

/** What amounts are booked by. */
export interface Books {
  readonly settings: { readonly Charged_From: Day; readonly Timezone: string }
  /** Units of a currency for one unit of the default currency, which blank stands for. */
  readonly rates: ReadonlyMap<string, Money>
}

/** Prices have as many decimals. */
export const BOOKED_DECIMALS = 6

/**
 * What a document adds to the balance of its account, in the default currency: nothing until it is completed, or if that was
 * before Balance_From. It is converted once: only another amount or currency is converted again (wire.md 7.5).
 */
export function bookedAmount(row: Bookable, before: Bookable | undefined, books: Books): Money | undefined {
  const { settings, rates } = books
  if (!isCounted(row, settings)) return undefined
  if (row.net !== undefined) return row.net
  const converted = isOtherAmount(row, before) ? undefined : (before?.booked ?? row.booked)
  if (converted !== undefined) return converted
  const { currency = '' } = row
  const rate = currency === '' ? ONE : rates.get(currency)
  if (rate === undefined) throw new RowRefused(`currency: ${currency} has no exchange rate`)
  return roundedQuotient(row.amount, rate, BOOKED_DECIMALS)
}

/** The row with what it adds to the balance of its account. */
export const withBookedAmount = <R extends Bookable>(
  row: R,
  before: Bookable | undefined,
  books: Books,
): R & { readonly booked: Money | undefined } => ({ ...row, booked: bookedAmount(row, before, books) })

/** Tells whether balances count a document: it was completed on Balance_From or later. */
export const isCounted = (row: Bookable, settings: Books['settings']): boolean =>
  row.completed !== false && isCharged(dayOf(row.confirm_date ?? row.date, settings.Timezone), settings)

const isOtherAmount = (row: Bookable, before: Bookable | undefined): boolean =>
  before !== undefined && (before.amount !== row.amount || (before.currency ?? '') !== (row.currency ?? ''))
