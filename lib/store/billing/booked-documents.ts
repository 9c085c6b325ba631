import type { Books } from '#lib/domain/billing/booking.ts'
import type { Settings } from '#lib/domain/settings.ts'
import { exchangeRatesOf } from '#lib/store/rates/currency.ts'
import type { Store } from '#lib/store/store.ts'

/** Reads the exchange rates that amounts in these currencies are booked by: none while no balances are kept. */
export async function openBooks(
  store: Store,
  settings: Pick<Settings, 'Charged_From' | 'Timezone' | 'Default_Currency'>,
  currencies: Iterable<string>,
): Promise<Books> {
  const isKept = settings.Charged_From !== ''
  const rates = await exchangeRatesOf(store, isKept ? currencies : [], settings.Default_Currency)
  return { settings, rates }
}
