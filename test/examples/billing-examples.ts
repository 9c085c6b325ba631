import { exampleDevices, people } from '#test/examples/examples.ts'
import { rowsIn } from '#test/examples/rows.ts'

type Billing = 'services' | 'subscriptions' | 'payments' | 'credit_notes' | 'invoices' | 'invoice_products'

const documents = rowsIn<'currencies' | 'adjustments' | 'charges' | Billing>('documents')

export const billingCurrencies = documents.currencies
export const exampleServices = documents.services
export const exampleSubscriptions = documents.subscriptions
export const examplePayments = documents.payments
export const exampleCreditNotes = documents.credit_notes
export const exampleInvoices = documents.invoices
export const invoiceProducts = documents.invoice_products

/** Every document, with the accounts, devices and currencies that they name. */
export const allDocuments = { users: people, devices: exampleDevices, ...documents }
