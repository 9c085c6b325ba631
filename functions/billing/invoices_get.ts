import { findAccounts } from '#lib/accounts/account.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { timestamp } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { dayOf } from '#lib/base/calendar.ts'
import { fixed, niceDigits } from '#lib/base/money.ts'
import { ownScope } from '#lib/base/scope.ts'
import type { PlaceRange } from '#lib/billing/document.ts'
import { findLastIssueDate, type Invoice, listInvoices } from '#lib/billing/invoice.ts'
import { type Product, productsOf } from '#lib/billing/invoice-product.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import { readFirstBatch, rowStream } from '#lib/xml/batches.ts'
import { type Content, type Element, element, withAttributes } from '#lib/xml/element.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'

const contract = defineContract({
  name: 'invoices_get',
  aliases: ['invoices'],
  summary:
    "Invoices with their products, by day of issue: those of the caller's customers, or a plain user's own.",
  callers: { allowed: ACCOUNT_TYPES, anonymous: 'User_Not_Found' },
  params: { from: timestamp, till: timestamp },
  hashOrders: [
    { signs: [] },
    /** Signed by deployed clients (wire.md invoices_get). */
    { signs: ['u'] },
  ],
  errors: { none: 'No_invoices_found' },
  envelope: 'ownRoot',
  access: 'read',
  streams: true,
})

type InvoicesRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const { caller, store, refuse } = request
  const scope = ownScope(caller)
  const days = daysOf(request)
  const [invoices, last] = await Promise.all([
    readFirstBatch(listInvoices(store, scope, days)),
    days.till ?? findLastIssueDate(store, scope, days),
  ])
  const first = invoices?.first[0]?.issue_date
  if (!invoices || first === undefined) throw refuse('none')

  return withAttributes(
    { from: days.from ?? first, till: last ?? first },
    element('Invoices', rowStream(invoices.all, invoiceElements(request))),
  )
})

export const handler = lambda(method)

/** A missing end leaves the range open. */
const daysOf = ({ params: { from, till }, settings: { Timezone: zone } }: InvoicesRequest): PlaceRange => ({
  from: from === undefined ? undefined : dayOf(from, zone),
  till: till === undefined ? undefined : dayOf(till, zone),
})

/** Converts batches of invoices. Each account that the list names is read once. */
function invoiceElements({ store, settings }: InvoicesRequest) {
  const toRows = productRows(niceDigits(settings))
  const accounts = batchedLookup(async (ids) => (await findAccounts(store, ids)).map(toContractor))
  /** Products that are stored in items of their own are read when the stream reaches their invoice. */
  const productsIn = (invoice: Invoice): Content =>
    invoice.product_pages === 0 ? toRows(invoice.products) : rowStream(productsOf(store, invoice), toRows)

  return async (invoices: readonly Invoice[]): Promise<Element[]> => {
    const known = await accounts(invoices.map(({ user_id }) => user_id))
    return invoices.map((invoice) =>
      withAttributes(
        {
          user_id: String(invoice.user_id),
          ...(known.get(invoice.user_id) ?? NO_CONTRACTOR),
          number: invoice.number,
        },
        element(
          'Invoice',
          element('paid', invoice.status === 'paid' ? 1 : 0),
          productsIn(invoice),
          element('Total_time', invoice.total_time),
        ),
      ),
    )
  }
}

const NO_CONTRACTOR = { agreementnumber: '', clientid: '' }

const toContractor = (account: { agreement_number: string; clientid: string } | undefined) =>
  account && { agreementnumber: account.agreement_number, clientid: account.clientid }

const writeProducts = rowWriter('Product', [
  'Name',
  'Quantity',
  'Price',
  'Discount',
  'Sum',
  'Date_added',
  'Issue_date',
  'Time',
  'Service_id',
  'Prefix',
])

function productRows(digits: number) {
  const money = (amount: string | undefined) => amount && fixed(amount, digits)
  const toRow = (product: Product) => ({
    Name: product.name,
    Quantity: product.quantity,
    Price: money(product.price),
    Discount: money(product.discount),
    Sum: money(product.sum),
    Date_added: product.date_added,
    Issue_date: product.issue_date,
    Time: product.time,
    Service_id: product.service_id,
    Prefix: product.prefix,
  })
  return (products: readonly Product[]) => writeProducts(products.map(toRow))
}
