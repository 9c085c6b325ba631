import { hourlyCharges } from '#lib/billing/charges/charge-run.ts'
import { lambdaTableServices } from '#lib/table/store.ts'

/** Makes the charges of subscriptions that are due, once an hour, if Charges_From is set. */
export const handler = hourlyCharges('charge_subscriptions', lambdaTableServices())
