import { createHash } from 'node:crypto'
import * as v from 'valibot'
import {
  addedLater,
  type Column,
  date,
  flag,
  id,
  money,
  oneOf,
  optional,
  optionalId,
  type Row,
  rowSchema,
  text,
} from '#lib/table/columns.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm } from '#lib/table/keys.ts'
import { pack, unpacker } from '#lib/table/packed-row.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { ROW } from '#lib/table/table.ts'

export const invoiceProductColumns = {
  invoice_id: id,
  name: text(),
  quantity: money('1'),
  price: optional(money()),
  discount: optional(money()),
  sum: money(),
  date_added: optional(date),
  issue_date: optional(date),
  time: text(),
  service_id: optionalId,
  prefix: text(),
}

export type ProductRow = Row<typeof invoiceProductColumns>

/**
 * The kind of a row of an issued document; blank if it was imported or issued before rows had kinds. Its
 * name in each language and its account in the journal follow from the kind.
 */
export const ROW_KINDS = [
  '',
  'calls',
  'incoming',
  'other_destinations',
  'calls_billed',
  'charge',
  'charges',
  'minimum',
  'goodwill',
] as const

const kindColumns = {
  kind: addedLater(oneOf(ROW_KINDS, ''), ''),
  /** The month that a document of a later month bills, `YYYY-MM`. */
  late_month: addedLater(text(), ''),
  /** The destination of a row of calls; blank for all destinations. */
  destination: addedLater(text(), ''),
  /** The calls are those of the customer's customers. */
  resold: addedLater(flag(false), false),
  /** The number of the document that has billed these calls already. */
  billed_on: addedLater(text(), ''),
  /** The origin of the callers in a row of calls (wire.md 7.7); blank for every caller. */
  origin: addedLater(text(), ''),
}

export type KindOfRow = Row<typeof kindColumns>

/** The kind of a row of a dataset. */
export const ofNoKind = {
  kind: '',
  late_month: '',
  destination: '',
  resold: false,
  billed_on: '',
  origin: '',
} as const

export type Product = Omit<ProductRow, 'invoice_id'> & KindOfRow

const { invoice_id: _, ...importedColumns } = invoiceProductColumns

export const productColumns = { ...importedColumns, ...kindColumns }

export const productList: Column<readonly Product[]> = {
  describes: 'products',
  schema: v.array(rowSchema(productColumns)),
  fromCell: (cell) => cell,
  rows: productColumns,
}

export const productPageColumns = { products: productList }

/** The columns of an invoice that lead to its products. */
interface Holder {
  readonly id: number
  readonly products: readonly Product[]
  readonly product_pages: number
  readonly products_digest?: string | undefined
}

/**
 * The digest of product rows up to this one. Equal rows have equal digests, however cells are written. Only
 * the columns of a dataset count: the export of an issued document has its digest.
 */
export const digestWith = (before: string, row: ProductRow): string =>
  createHash('sha256').update(before).update(textOfRow(row)).digest('base64url')

const DIGESTED = Object.keys(invoiceProductColumns).toSorted()

const textOfRow = (row: ProductRow & Item): string =>
  JSON.stringify(DIGESTED.filter((name) => name in row).map((name) => [name, row[name]]))

/** Below DynamoDB's 400 KB, with room for the rest of an invoice. */
const MAX_PAGE_BYTES = 300_000

export function inPages(products: readonly Product[]): Product[][] {
  const cut: Product[][] = []
  let room = 0
  for (const product of products) {
    const bytes = Buffer.byteLength(JSON.stringify(product))
    if (bytes > room) {
      cut.push([])
      room = MAX_PAGE_BYTES
    }
    cut.at(-1)?.push(product)
    room -= bytes
  }
  return cut
}

/** Pages of products that do not fit into their invoice's item. Their version is the rows' digest. */
export const invoiceProductKey = keyForm('INVOICE#<invoice_id>', 'PRODUCTS#<version>#<page>')

export const keysOfPages = ({ id: invoiceId, products_digest = '', product_pages }: Holder) =>
  Array.from({ length: product_pages }, (_page, page) => invoiceProductKey(invoiceId, products_digest, page))

/** The products in the order of the dataset, page by page. Throws when a page is missing. */
export async function* productsOf(store: Store, invoice: Holder): AsyncGenerator<readonly Product[]> {
  if (invoice.product_pages === 0) return yield invoice.products
  let found = 0
  const pages = invoiceProductKey.range(invoice.id, invoice.products_digest ?? '')
  for await (const items of store.pages(pages)) {
    found += items.length
    for (const item of items) yield readPage(item).products
  }
  if (found !== invoice.product_pages) throw new Error(`Invoice ${invoice.id} has lost pages of products`)
}

const readPage = unpacker(productPageColumns)

/** Writes product pages, before the invoice names them: no request reads incomplete pages. */
export async function putProductPages(
  store: Store,
  { id: invoiceId, products_digest = '' }: Pick<Holder, 'id' | 'products_digest'>,
  cut: readonly (readonly Product[])[],
): Promise<void> {
  for (const [page, products] of cut.entries()) {
    const key = invoiceProductKey(invoiceId, products_digest, page)
    await store.transact([{ put: { ...key, [ROW]: pack(productPageColumns, { products }) } }])
  }
}

/** Sets the time to live of pages that the invoice no longer names: requests in flight can finish. */
export async function expireProductPages(store: Store, invoice: Holder, expires_at: number): Promise<void> {
  const changes = keysOfPages(invoice).map((key): Change => ({ update: key, to: { set: { expires_at } } }))
  for (const change of changes) await store.transact([change])
}
