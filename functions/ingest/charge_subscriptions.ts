import { hourlyCharges } from '#lib/billing/charges/charge-run.ts'
import { hourlyAllocations } from '#lib/billing/payments/allocate-oldest.ts'
import { hourlyNumbers } from '#lib/invoicing/journal/number-entries.ts'
import { lambdaTableServices } from '#lib/table/store.ts'

const services = lambdaTableServices()

const numberEntries = hourlyNumbers('number_entries', services)

const allocatePayments = hourlyAllocations('allocate_payments', services)

const makeCharges = hourlyCharges('charge_subscriptions', services)

/** Once an hour: resumes allocations, numbers the journal, and makes the charges that are due. */
export const handler = async (): Promise<void> => {
  await allocatePayments()
  await numberEntries()
  await makeCharges()
}
