import { generatedRates } from '#test/examples/generated-rates.ts'
import type { ServedRows } from '#test/soak/server-process.ts'
import { callingAccounts, KEY } from '../installation.ts'
import { type CallsToWrite, FIRST_CUSTOMER } from '../written-calls.ts'

export interface Size extends CallsToWrite {
  readonly rates: number
}

export const customerAt = (position: number, { customers }: Size): number =>
  FIRST_CUSTOMER + (position % customers)

export const TARIFF = 1

/** All but the calls. */
export const datasetOf = (size: Size): ServedRows => ({
  settings: Object.entries({
    Allow_API: '1',
    API_Secret_Key: KEY,
    Devices_Check_Rate: '1',
    Default_Currency: 'EUR',
    Timezone: 'UTC',
  }).map(([name, value]) => ({ name, value })),
  currencies: [{ name: 'EUR', exchange_rate: '1' }],
  tariffs: [{ id: String(TARIFF), name: 'Retail', currency: 'EUR', purpose: 'retail', owner_id: '0' }],
  users: callingAccounts(size).map((user) => ({ ...user, tariff_id: String(TARIFF) })),
  rates: generatedRates(TARIFF, size.rates),
})
