import type { Days } from '#lib/base/calendar.ts'
import { add, type Money, ZERO } from '#lib/base/money.ts'
import type { Call } from '#lib/calls/call.ts'
import type { Report } from '#lib/calls/report/report.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { bookOfCalls, type CallsToPrice, comparedCalls, resultBy } from './priced-again.ts'

/** Lists answered calls that the two values of Rated_Number price differently, by their time's rates. */
export async function ratedNumberReport(store: Store, days: Days): Promise<Report> {
  const settings = await settingsOf(store)
  const sums: Prices = { dialled_price: ZERO, carrier_price: ZERO }
  return {
    title: `Calls from ${days.from} to ${days.till} (${settings.Timezone}) that the two rules of Rated_Number price differently`,
    currency: settings.Default_Currency,
    columns: {
      start: 'text',
      customer: 'text',
      dst: 'text',
      carrier_dst: 'text',
      dialled_number: 'text',
      dialled_price: 'number',
      carrier_number: 'text',
      carrier_price: 'number',
    },
    rows: comparedCalls(store, settings, days, (calls, priced) =>
      differingAmong(calls, priced, settings, sums),
    ),
    total: () => ({ start: 'total', ...sums }),
  }
}

type Prices = Record<'dialled_price' | 'carrier_price', Money>

async function* differingAmong(
  calls: readonly Call[],
  priced: CallsToPrice,
  settings: Settings,
  sums: Prices,
) {
  const bookOf = (Rated_Number: string) => bookOfCalls(priced, { ...settings, Rated_Number }, calls)
  const [byDialled, byCarrier] = [await bookOf('dialled'), await bookOf('carrier')]
  for (const call of calls) {
    const [dialled, carrier] = [await resultBy(byDialled, call), await resultBy(byCarrier, call)]
    if (dialled.price === carrier.price) continue
    sums.dialled_price = add(sums.dialled_price, dialled.price ?? ZERO)
    sums.carrier_price = add(sums.carrier_price, carrier.price ?? ZERO)
    const cells = {
      carrier_dst: call.carrier_dst,
      dialled_number: dialled.number,
      dialled_price: dialled.price,
      carrier_number: carrier.number,
      carrier_price: carrier.price,
    }
    yield [call, cells] as const
  }
}
