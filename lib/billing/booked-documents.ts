import { exchangeRatesOf } from '#lib/rates/currency.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { Books } from './booking.ts'

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
