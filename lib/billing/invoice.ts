import { DAY_MS, type Day, secondsOf } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { type Money, ZERO } from '#lib/base/money.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import {
  addedLater,
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
} from '#lib/table/columns.ts'
import type { Stored } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm, nowhere } from '#lib/table/keys.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { bookedInLedger } from './balance-item.ts'
import {
  defineDocuments,
  documentPages,
  documentRate,
  newestDocuments,
  type OwnedDocument,
  type PlaceRange,
  placeOfDocument,
  replaceDocuments,
} from './document.ts'
import {
  inNumberOrder,
  invoicePaidKey,
  isPaidBeside,
  listPaidItems,
  paidChanges,
  paidKeyOf,
  withoutPaid,
  withPaidItem,
} from './invoice-paid.ts'
import { entriesOfInvoice, type PayableInvoice } from './invoice-payment.ts'
import { expireProductPages, inPages, type Product, productList, putProductPages } from './invoice-product.ts'
import { postedDocument, postedFromBalance, revenueText } from './journal/document-posting.ts'
import { postedAs } from './journal/posting.ts'

const firstColumns = {
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
  /** The first and the last day whose calls it bills; blank if that is not known. */
  period_from: optional(date),
  period_till: optional(date),
}

const laterColumns = {
  /** Units of the currency for one unit of the default currency, at its issue. Blank: 1. */
  exchange_rate: documentRate,
  vat_percent: addedLater(optional(money()), undefined),
  due_date: addedLater(optional(date), undefined),
  /** Its payments with VAT in its currency, and what they have booked in the default currency. */
  paid_amount: addedLater(money(ZERO), ZERO),
  paid_booked: addedLater(money(ZERO), ZERO),
  /** Its credit notes by rows and for goodwill, without and with VAT. */
  credited_net: addedLater(money(ZERO), ZERO),
  credited: addedLater(money(ZERO), ZERO),
}

/** These come last: a stored row has its columns in their order. */
const lastColumns = {
  /** The part that the balance of a prepaid account has closed, with VAT: no payment did. */
  from_balance: addedLater(money(ZERO), ZERO),
  /** The day on which the journal posts it; blank for one that was stored before entries were. */
  posted_on: addedLater(optional(date), undefined),
}

/** The part of `from_balance` after the issue: a credit note gives the balance back a part of it. */
const from_balance_later = addedLater(
  textLike(
    'days with amounts, such as 2026-06-10:-2.42',
    /^(?:\d{4}-\d\d-\d\d:-?\d+(?:\.\d+)?(?: |$))+$/,
    '',
  ),
  '',
)

export const invoiceColumns = { ...firstColumns, ...laterColumns, ...lastColumns, from_balance_later }

export type InvoiceRow = Row<typeof invoiceColumns>

/** The columns of a document that was issued here, and not imported. */
export const issuedColumns = {
  /** The month that it bills, `YYYY-MM`; blank for an imported document. */
  month: addedLater(text(), ''),
  /** The amount that balances were charged for it, in the default currency. */
  charged: addedLater(optional(money()), undefined),
  /** Seller and buyer as they were then, in JSON. */
  parties: addedLater(text(), ''),
}

/** Its net by kind of revenue, if its rows are not in its item (document-posting.ts). */
export const revenueColumn = addedLater(text(), '')

const storedColumns = {
  ...firstColumns,
  /** Empty if the products do not fit into the item: then they are on `product_pages` pages. */
  products: productList,
  product_pages: integer(),
  /** The digest of the product rows, which is also in the keys of their pages; absent without rows. */
  products_digest: optional(requiredText),
  products_sum: optional(money()),
  ...laterColumns,
  ...issuedColumns,
  /** The number of the credit note that takes all of it back. */
  credited_by: addedLater(text(), ''),
  ...lastColumns,
  revenue: revenueColumn,
  from_balance_later,
}

export type Invoice = Row<typeof storedColumns>

export type StoredInvoice = Stored<OwnedDocument<Invoice>> & Pick<PayableInvoice, 'paid_by'>

/** The last day to pay an invoice: the day of its issue, if no other one was agreed. */
export const dueDayOf = ({ due_date, issue_date }: Pick<Invoice, 'due_date' | 'issue_date'>): Day =>
  due_date ?? issue_date

/** Below 0 before the due day. */
export const daysLate = (invoice: Pick<Invoice, 'due_date' | 'issue_date'>, day: Day): number =>
  (Date.parse(day) - Date.parse(dueDayOf(invoice))) / DAY_MS

/** Whether a document was issued here: its period counts as invoiced, and it never changes. */
export const isIssued = ({ month }: Pick<Invoice, 'month'>): boolean => month !== ''

/** The columns of an invoice that no dataset brings, before its products are imported. */
export const withoutProducts = {
  month: '',
  charged: undefined,
  parties: '',
  credited_by: '',
  products: [],
  product_pages: 0,
  products_digest: undefined,
  products_sum: undefined,
  revenue: '',
} as const

const invoiceNumberKey = keyForm('INVOICENUMBER#<lower_number>', '<id>')

const declared = defineDocuments('INVOICE', {
  name: 'invoice',
  columns: storedColumns,
  place: '<issue_date>#<ordered_number>#<id>',
  computed: ({ number }) => ({ ordered_number: inNumberOrder(number) }),
  copies: [{ key: invoiceNumberKey, of: ({ number }) => [{ lower_number: number.toLowerCase() }], since: 2 }],
  books: [bookedInLedger(entriesOfInvoice)],
  posts: [postedAs('invoice', postedDocument), postedAs('from balance', postedFromBalance)],
})

const toItem: typeof declared.toItem = (row) => declared.toItem(withoutPaid(row))

const textOfItem = (row: StoredInvoice): string => JSON.stringify(toItem({ ...row, version: 0 }))

/** Ordered by day of issue, then number. The paid part of an invoice is read and written with it. */
export const invoices: typeof declared = {
  ...declared,
  toItem,
  findMany,
  find: async (store, invoiceId) => (await findMany(store, [invoiceId]))[0],
  beside: {
    key: invoicePaidKey,
    changes: paidChanges,
    own: ({ paid_version: _, ...row }: StoredInvoice & { readonly paid_version?: number }) =>
      withoutPaid(row),
    isSameItem: (before, after) =>
      isPaidBeside(before) && textOfItem(before) === textOfItem({ ...after, version: 0 }),
  },
}

const INVOICES_OF_ONE_NUMBER = 20

/** The invoices of this number, in any case of letters, page by page: each seller has its own series. */
async function* invoicesOfNumber(store: Store, number: string): AsyncGenerator<StoredInvoice[]> {
  for await (const page of store.pages(pointersOfNumber(number))) {
    const found = await findInvoices(store, page.map(idOfPointer))
    yield found.filter((invoice) => invoice !== undefined)
  }
}

const pointersOfNumber = (number: string) => ({
  ...invoiceNumberKey.range(number.toLowerCase()),
  pageSize: INVOICES_OF_ONE_NUMBER,
})

const idOfPointer = ({ SK }: Item): number => Number(SK)

/** The first invoices with this number. A table of format 1 finds none before its migration. */
export const findInvoicesOfNumber = async (store: Store, number: string): Promise<StoredInvoice[]> =>
  (await invoicesOfNumber(store, number).next()).value ?? []

/** Their ids. */
export const findIdsOfNumber = async (store: Store, number: string): Promise<number[]> =>
  (await store.firstPage(pointersOfNumber(number))).map(idOfPointer)

export const findInvoicesOfAccount = async (
  store: Store,
  userId: number,
  number: string,
): Promise<StoredInvoice[]> =>
  (await Array.fromAsync(invoicesOfNumber(store, number))).flat().filter(({ user_id }) => user_id === userId)

/** In the order of the ids. Two round trips for up to 50 of them. */
async function findMany(store: Store, ids: readonly (number | string)[]) {
  const { pointer = declared.key, key, read } = declared
  const found = await store.getMany(ids.map((one) => pointer(one)))
  const keys = found.flatMap((one) =>
    one ? [key.of(one), invoicePaidKey.of({ ...one, invoice_id: one['id'] })] : [nowhere, nowhere],
  )
  const items = [...slices(await store.getMany(keys), 2)]
  return items.map(([row, paid]): StoredInvoice | undefined => row && withPaidItem(read(row), paid))
}

export const findInvoices: typeof findMany = findMany

/** Invoices that were read alone, with what payments pay of them. */
export async function withPayments<I extends Invoice>(store: Store, listed: readonly I[]): Promise<I[]> {
  const found = await store.getMany(listed.map(paidKeyOf))
  return listed.map((invoice, index) => withPaidItem(invoice, found[index]))
}

/** The invoices of a list, newest first, page by page, with what payments pay of them. */
export async function* newestInvoicePages(
  store: Store,
  wanted: PlaceRange & { readonly scope: LimitedScope; readonly pageSize: number },
): AsyncGenerator<OwnedDocument<Invoice>[]> {
  for await (const page of documentPages(store, invoices, { ...wanted, newestFirst: true })) {
    const [first, last] = [page.at(-1), page[0]]
    if (!first || !last) continue
    const places = { from: placeOfDocument(invoices, first), till: placeOfDocument(invoices, last) }
    const items = (await Array.fromAsync(listPaidItems(store, wanted.scope, places))).flat()
    yield joined(page, items)
  }
}

/** The newest `count` invoices of a list before a place. */
export async function newestInvoices(
  store: Store,
  { count, ...range }: PlaceRange & { readonly scope: LimitedScope; readonly count: number },
): Promise<OwnedDocument<Invoice>[]> {
  const found: OwnedDocument<Invoice>[] = []
  for await (const page of newestInvoicePages(store, { ...range, pageSize: count })) {
    found.push(...page)
    if (found.length >= count) break
  }
  return found.slice(0, count)
}

function joined<I extends Invoice>(listed: readonly I[], items: readonly Item[]): I[] {
  const byId = new Map(items.map((item) => [item['invoice_id'], item]))
  return listed.map((invoice) => withPaidItem(invoice, byId.get(invoice.id)))
}

/** An invoice of a list, which does not say whether payments have paid it. */
export type ListedInvoice = OwnedDocument<Omit<Invoice, 'status' | 'paid_amount' | 'paid_booked'>>

/** The invoices issued on these days, or all; ascending by day of issue, then number. */
export const listInvoiceRows = (
  store: Store,
  scope: LimitedScope,
  days: PlaceRange = {},
): AsyncGenerator<readonly ListedInvoice[]> => documentPages(store, invoices, { scope, ...days })

/** The same, with what payments pay of them. Both lists have one order, and are read side by side. */
export async function* listInvoices(store: Store, scope: LimitedScope, days: PlaceRange = {}) {
  const paid = listPaidItems(store, scope, days)
  let next: ReturnType<typeof paid.next> | undefined = paid.next()
  // A consumer may stop before it is awaited.
  next.catch(() => undefined)
  let items: Item[] = []
  for await (const page of documentPages(store, invoices, { scope, ...days })) {
    const end = page.map((one) => paidKeyOf(one).SK).at(-1) ?? ''
    while (String(items.at(-1)?.['SK'] ?? '') < end) {
      const { value, done } = await (next ?? paid.next())
      next = undefined
      if (done) break
      items = [...items, ...value]
    }
    yield joined(page, items)
    items = items.filter(({ SK }) => String(SK) > end)
  }
}

export async function findLastIssueDate(
  store: Store,
  scope: LimitedScope,
  days: PlaceRange,
): Promise<Day | undefined> {
  const [last] = await newestDocuments(store, invoices, { scope, ...days, count: 1 })
  return last?.issue_date
}

/** All products of one invoice, as a dataset brings them, with their sum and the digest of their rows. */
export interface NewProducts {
  readonly products: readonly Product[]
  readonly sum: Money
  readonly digest: string
  readonly now: Date
}

/** Longer than the longest request that may still read the old pages. */
const KEPT_SECONDS = 3600

/** Replaces the products of an invoice, unless the invoice is gone. */
export const replaceProducts = (store: Store, invoiceId: number, given: NewProducts): Promise<void> =>
  retryingRaces(store, async () => {
    const [before] = await findInvoices(store, [invoiceId])
    if (!before) return
    const pages = inPages(given.products)
    const isPaged = pages.length > 1
    const after = { ...before, ...productsOfInvoice(given, isPaged ? pages.length : 0) }
    if (isPaged) await putProductPages(store, after, pages)
    await replaceDocuments(store, invoices, [{ before, after }])
    if (before.products_digest !== given.digest) {
      await expireProductPages(store, before, secondsOf(given.now) + KEPT_SECONDS)
    }
  })

/** The products of an invoice that was read as `before`. */
export interface NewProductsOf extends NewProducts {
  readonly before: StoredInvoice
}

/** Whether both the old and the new products fit into the item of the invoice. */
export const isShort = ({ before, products }: NewProductsOf): boolean =>
  before.product_pages === 0 && inPages(products).length <= 1

/** Replaces short lists of several invoices, all or none. Throws ConditionFailed if one has changed. */
export const replaceShortProducts = (store: Store, given: readonly NewProductsOf[]): Promise<void> =>
  replaceDocuments(
    store,
    invoices,
    given.map(({ before, ...products }) => ({
      before,
      after: { ...before, ...productsOfInvoice(products, 0) },
    })),
  )

const productsOfInvoice = (
  { products, sum, digest }: NewProducts,
  product_pages: number,
): Partial<Invoice> => ({
  products: product_pages > 0 ? [] : products,
  product_pages,
  products_digest: digest,
  products_sum: sum,
  revenue: product_pages > 0 ? revenueText(products, false) : '',
})
