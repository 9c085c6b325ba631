import type { LimitedScope } from '#lib/domain/accounts/scope.ts'
import type { Day } from '#lib/domain/calendar.ts'
import {
  date,
  id,
  integer,
  money,
  oneOf,
  optional,
  type Row,
  requiredText,
  text,
  textLike,
} from '#lib/store/columns.ts'
import type { Stored } from '#lib/store/entity.ts'
import type { Store } from '#lib/store/store.ts'
import { defineDocuments, documentPages, type OwnedDocument, type Stretch } from './document.ts'
import { productList } from './invoice-product.ts'

// Shape

export const invoiceColumns = {
  id,
  user_id: id,
  number: textLike('1 to 60 characters', /^.{1,60}$/su),
  issue_date: date,
  status: oneOf(['paid', 'unpaid'], 'unpaid'),
  price: money(),
  /** Blank: the price. */
  price_with_vat: optional(money()),
  /** Blank: the default currency. */
  currency: text(),
  total_time: text(),
  /** The days whose calls it bills, both included; blank where it does not say. */
  period_from: optional(date),
  period_till: optional(date),
}

/** An invoice as a dataset brings it. */
export type InvoiceRow = Row<typeof invoiceColumns>

const storedColumns = {
  ...invoiceColumns,
  /** Where they fit into the item; else `product_pages` pages lie beside it. */
  products: productList,
  product_pages: integer(),
  /** The digest of the product rows, which also names the version of their pages; absent where there are no rows. */
  products_digest: optional(requiredText),
  products_sum: optional(money()),
}

export type Invoice = Row<typeof storedColumns>

export type StoredInvoice = Stored<OwnedDocument<Invoice>>

/** An invoice whose products were not imported yet. */
export const withoutProducts = {
  products: [],
  product_pages: 0,
  products_digest: undefined,
  products_sum: undefined,
} as const

// Declaration

const DIGITS = 15

/** Text order is number order: R-9 comes before R-10. */
const inNumberOrder = (number: string): string =>
  number.replaceAll(/\d+/g, (digits) => digits.padStart(DIGITS, '0'))

/** By day of issue, then number. */
export const invoices = defineDocuments('INVOICE', {
  name: 'invoice',
  columns: storedColumns,
  place: '<issue_date>#<ordered_number>#<id>',
  computed: ({ number }) => ({ ordered_number: inNumberOrder(number) }),
})

// Access patterns

export const { findMany: findInvoices } = invoices

/** Those issued on the days of the stretch, all without one; ascending by day of issue, then number. */
export const listInvoices = (store: Store, scope: LimitedScope, days: Stretch = {}) =>
  documentPages(store, invoices, { scope, ...days })

export async function findLastIssueDate(
  store: Store,
  scope: LimitedScope,
  days: Stretch,
): Promise<Day | undefined> {
  const newest = documentPages(store, invoices, { scope, ...days, newestFirst: true, pageSize: 1 })
  for await (const [last] of newest) return last?.issue_date
  return undefined
}
