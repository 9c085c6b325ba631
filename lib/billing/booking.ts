import { isCharged } from '#lib/base/balance.ts'
import { type Day, dayOf, type Seconds } from '#lib/base/calendar.ts'
import { add, type Money, multiply, ONE, roundedQuotient } from '#lib/base/money.ts'
import { rowRefused } from '#lib/base/row-refused.ts'
import { exchangeRatesOf } from '#lib/rates/currency.ts'
import type { Subscribed } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'

/** A document with amounts in a currency. */
export interface Converted {
  /** Blank: the default currency. */
  readonly currency?: string | undefined
  /** Units of the currency for one of the default currency, on the document's day; absent for the default. */
  readonly exchange_rate?: Money | undefined
}

/** A payment or an adjustment, as far as balances count it. */
export interface Bookable extends Converted {
  readonly amount: Money
  readonly date: Seconds
  readonly confirm_date?: Seconds | undefined
  /** An adjustment is always complete. */
  readonly completed?: boolean
  readonly booked?: Money | undefined
  /** The amount to book instead of its own: the net of the invoice that it pays. */
  readonly net?: Money | undefined
  /** The day on which the journal posts it; blank for one that was stored before entries were. */
  readonly posted_on?: Day | undefined
}

export interface Books {
  readonly settings: {
    readonly Charged_From: Day
    readonly Timezone: string
    readonly Default_Currency: string
    readonly Payments_With_VAT: boolean
    readonly subscribed: Subscribed
  }
  /** Units of a currency for one unit of the default currency, which is meant by a blank. */
  readonly rates: ReadonlyMap<string, Money>
}

/**
 * Reads the exchange rates by which documents are booked, also while no balances are kept. One round trip,
 * none for documents in the default currency.
 */
export async function openBooks(
  store: Store,
  settings: Books['settings'],
  documents: readonly Pick<Converted, 'currency'>[],
): Promise<Books> {
  const currencies = documents.map(({ currency = '' }) => currency)
  return { settings, rates: await exchangeRatesOf(store, currencies, settings.Default_Currency) }
}

/** The number of decimals of a price. */
export const BOOKED_DECIMALS = 6

/** An amount of a document in the default currency, as balances count it. */
export const convertedAmount = (amount: Money, rate: Money): Money =>
  roundedQuotient(amount, rate, BOOKED_DECIMALS)

/** An amount that includes VAT without it, in the default currency. It is rounded once. */
export const withoutVat = (amount: Money, percent: Money, rate: Money): Money =>
  roundedQuotient(multiply(amount, 100), multiply(rate, add(percent, '100')), BOOKED_DECIMALS)

/** The rate of a document, or the present rate for one that was stored before documents kept theirs. */
export const rateOfDocument = (
  { currency = '', exchange_rate }: Converted,
  { settings, rates }: Pick<Books, 'rates'> & { readonly settings: { readonly Default_Currency: string } },
): Money | undefined =>
  currency === '' || currency === settings.Default_Currency ? ONE : (exchange_rate ?? rates.get(currency))

/**
 * The document with the exchange rate of its day, which it keeps as long as its currency stays. Throws
 * refused_row for a currency without a rate.
 */
export function withExchangeRate<R extends Converted>(
  row: R,
  before: Converted | undefined,
  books: Books,
): R & { readonly exchange_rate: Money | undefined } {
  const { currency = '' } = row
  if (currency === '' || currency === books.settings.Default_Currency)
    return { ...row, exchange_rate: undefined }
  const exchange_rate = keptRate(row, before) ?? books.rates.get(currency)
  if (exchange_rate === undefined) throw rowRefused(`currency: ${currency} has no exchange rate`)
  return { ...row, exchange_rate }
}

/** The rate of another currency is not kept. */
function keptRate({ currency = '', exchange_rate }: Converted, before: Converted | undefined) {
  if (before === undefined || (before.currency ?? '') === currency)
    return exchange_rate ?? before?.exchange_rate
  return exchange_rate === before.exchange_rate ? undefined : exchange_rate
}

/**
 * The amount that a document adds to its account's balance, in the default currency: nothing until it is
 * completed, or before Balance_From. It is converted once, and again if its amount or currency changes
 * (wire.md 7.5).
 */
export function bookedAmount(row: Bookable, before: Bookable | undefined, books: Books): Money | undefined {
  if (!isCounted(row, books.settings)) return undefined
  if (row.net !== undefined) return row.net
  const converted = isOtherAmount(row, before) ? undefined : (before?.booked ?? row.booked)
  if (converted !== undefined) return converted
  const rate = rateOfDocument(row, books)
  if (rate === undefined) throw rowRefused(`currency: ${row.currency} has no exchange rate`)
  return convertedAmount(row.amount, rate)
}

/** The row with what it adds to the balance of its account, and the day on which the journal posts it. */
export const withBookedAmount = <R extends Bookable>(
  row: R,
  before: Bookable | undefined,
  books: Books,
): R & Required<Pick<Bookable, 'booked' | 'posted_on'>> => ({
  ...row,
  booked: bookedAmount(row, before, books),
  posted_on: postingDay(row, before, books),
})

/** The day of the installation on which it was paid; it stays if the zone changes. */
function postingDay({ date }: Bookable, before: Bookable | undefined, { settings }: Books): Day | undefined {
  const isKept = before !== undefined && (before.posted_on === undefined || before.date === date)
  return isKept ? before.posted_on : dayOf(date, settings.Timezone)
}

/** Returns whether balances count a document: it was completed on Balance_From or later. */
export const isCounted = (row: Bookable, settings: Books['settings']): boolean =>
  row.completed !== false && isCharged(dayOf(row.confirm_date ?? row.date, settings.Timezone), settings)

/** A rate that is added to a document later does not convert it again. */
const isOtherAmount = (row: Bookable, before: Bookable | undefined): boolean =>
  before !== undefined &&
  (before.amount !== row.amount ||
    (before.currency ?? '') !== (row.currency ?? '') ||
    (before.exchange_rate ?? row.exchange_rate) !== row.exchange_rate)
