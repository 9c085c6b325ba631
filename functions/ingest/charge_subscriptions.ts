import { hourlyCharges } from '#lib/billing/charges/charge-run.ts'
import { hourlyNumbers } from '#lib/invoicing/journal/number-entries.ts'
import { lambdaTableServices } from '#lib/table/store.ts'

const services = lambdaTableServices()

const numberEntries = hourlyNumbers('number_entries', services)

const makeCharges = hourlyCharges('charge_subscriptions', services)

/** Once an hour: numbers the entries of the journal, then makes the charges that are due. */
export const handler = async (): Promise<void> => {
  await numberEntries()
  await makeCharges()
}
