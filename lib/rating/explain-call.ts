import type { Rate } from '#lib/domain/rates/rating.ts'
import { ratedDigits } from '#lib/domain/rates/rating.ts'
import { reasonIn } from '#lib/domain/row-refused.ts'
import type { CallRow } from '#lib/store/calls/call.ts'
import type { Store } from '#lib/store/store.ts'
import { rateCall } from './call-rating.ts'
import { type Customer, customerOf, openRateBook, type PricedTariff, type RateBook } from './rate-book.ts'

/** A tariff that was asked for the rate of the number, and what it answered. */
export interface TariffLookup extends PricedTariff {
  readonly rate: Rate | undefined
}

/** How a call gets its prices. */
export interface CallExplanation {
  /** What of the number is looked up. */
  readonly digits: string
  readonly isInternal: boolean
  readonly customer: Customer
  /** For the customer, then for its reseller where it has one, then for the provider: as many as were asked. */
  readonly lookups: readonly TariffLookup[]
  /** The call with its prices, or why it has none. */
  readonly rated: CallRow | string
}

/** Prices a call that nobody has made, as it would be priced on its arrival, and notes what was looked up for it. */
export async function explainCall(store: Store, row: CallRow): Promise<CallExplanation> {
  const book = await openRateBook(store, [row])
  const customer = await customerOf(book, row, undefined)
  const lookups: TariffLookup[] = []
  const rated = await rateCall(noting(book, lookups), row, customer).catch(reasonIn)
  return {
    digits: ratedDigits(row.dst, book.settings),
    isInternal: book.internal.has(row.dst),
    customer,
    lookups,
    rated,
  }
}

const noting = (book: RateBook, lookups: TariffLookup[]): RateBook => ({
  ...book,
  rate: async (tariff, call) => {
    const rate = await book.rate(tariff, call)
    const { exchangeRate } = await book.tariff(tariff.id)
    lookups.push({ tariff, exchangeRate, rate })
    return rate
  },
})
