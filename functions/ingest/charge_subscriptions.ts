import { hourlyCharges } from '#lib/billing/charges/charge-run.ts'
import { hourlyAllocations } from '#lib/billing/payments/allocate-oldest.ts'
import { hourlyNumbers } from '#lib/invoicing/journal/number-entries.ts'
import { lambdaTableServices } from '#lib/table/store.ts'

const services = lambdaTableServices()

const numberEntries = hourlyNumbers(services)

const allocatePayments = hourlyAllocations(services)

const makeCharges = hourlyCharges(services)

/** Once an hour: resumes allocations, numbers the journal, and makes the charges that are due. */
export const handler = async (): Promise<void> => {
  await allocatePayments()
  await numberEntries()
  await makeCharges()
}
