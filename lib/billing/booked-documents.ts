import { exchangeRatesOf } from '#lib/rates/currency.ts'
import type { Store } from '#lib/table/store.ts'
import type { Books } from './booking.ts'

/** Reads the exchange rates by which documents in these currencies are booked, also while no balances are kept. One round trip, none for the default currency. */
export async function openBooks(
  store: Store,
  settings: Books['settings'],
  currencies: Iterable<string>,
): Promise<Books> {
  const rates = await exchangeRatesOf(store, currencies, settings.Default_Currency)
  return { settings, rates }
}
