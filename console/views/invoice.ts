import { add, type Money } from '#lib/domain/money.ts'
import type { Ask } from '../api/ask.ts'
import { type NamedCustomer, nameOfCustomer } from '../api/customers.ts'
import { find, findAll, textIn, type XmlNode } from '../api/xml.ts'
import { formatAmount } from '../format.ts'
import type { TableRow } from '../ui/table-rows.ts'

export const LINE_COLUMNS = [
  { key: 'Name' },
  { key: 'Quantity' },
  { key: 'Price' },
  { key: 'Discount' },
  { key: 'Sum' },
  { key: 'Time' },
]

/** An invoice as a row; its lines stay in the answer. */
export function invoiceRow(invoice: XmlNode, customers: readonly NamedCustomer[]): TableRow {
  const attributes = Object.fromEntries(invoice.attributes)
  const { user_id = '', number = '', agreementnumber = '' } = attributes
  return {
    number,
    user_id,
    agreementnumber,
    customer: nameOfCustomer(customers, user_id),
    issued: textIn(invoice, 'Issue_date'),
    status: textIn(invoice, 'paid') === '1' ? 'Paid' : 'Unpaid',
    net: formatAmount(netOf(invoice)),
  }
}

const netOf = (invoice: XmlNode): Money =>
  add(...findAll(invoice, 'Product').map((product) => textIn(product, 'Sum') || '0'))

/** A total with tax, in the default currency of the installation. */
export interface InvoiceTotal {
  readonly amount: Money
  readonly currency: string
}

const NOON_SECONDS = 43_200

/**
 * The total with tax of an invoice. The invoice itself does not tell it; the financial statement of the customer's day
 * does, unless the customer got several invoices of that status on that day.
 */
export async function totalWithTax(ask: Ask, invoice: TableRow): Promise<InvoiceTotal | undefined> {
  const { user_id = '', issued = '', status = '' } = invoice
  const noon = String(Date.parse(`${issued}T00:00:00Z`) / 1000 + NOON_SECONDS)
  const answer = await ask('financial_statements_get', { user_id, date_from: noon, date_till: noon })
  const statement = findAll(answer, 'statement').find(
    (one) =>
      one.attributes.some(([name, value]) => name === 'type' && value === 'invoices') &&
      textIn(one, 'status') === status.toLowerCase(),
  )
  if (!statement || textIn(statement, 'count') !== '1') return undefined
  const attributes = Object.fromEntries(find(answer, 'financial_statement')?.attributes ?? [])
  return { amount: textIn(statement, 'price_with_vat'), currency: attributes['currency'] ?? '' }
}
