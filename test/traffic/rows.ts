import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { billingCurrencies } from '#test/examples/billing-examples.ts'
import { withCheapHash } from '#test/examples/examples.ts'
import { routing } from '#test/examples/routing.ts'
import { rate, threeTariffs } from '#test/examples/tariffs.ts'
import { bobsOtherPhone } from '#test/examples/writing.ts'
import { EXISTING } from './clients.ts'
import { trafficRates } from './steps.ts'

export const TRAFFIC_SETTINGS = { Device_Limit: '1000', Devices_Check_Rate: '1' }

/** The installation that traffic begins with, with a number of rates in the tariff that steps replace. */
export const trafficRows = (rates: number): DatasetRows => ({
  ...routing,
  ...threeTariffs,
  currencies: billingCurrencies,
  tariffs: [...threeTariffs.tariffs, { id: '4', name: 'From Pat', owner_id: '4' }],
  users: threeTariffs.users.map(withCheapHash),
  devices: [...routing.devices, bobsOtherPhone],
  device_rules: EXISTING.deviceRules.map((id) => ({
    id: String(id),
    device_id: bobsOtherPhone.id,
    name: `R ${id}`,
    cut: '0',
  })),
  rates: [...trafficRates(rates, 1), rate({ tariff_id: '2', prefix: '1' })],
})
