import { createHash } from 'node:crypto'
import pMap from 'p-map'
import type { AcceptedProducts, ImportWorld } from '#lib/dataset/format/import-world.ts'
import type { Entry, RowFormat } from '#lib/dataset/format/row-format.ts'
import { totalsProblem } from '#lib/domain/billing/invoice.ts'
import { slices } from '#lib/domain/collections.ts'
import { add, type Money, ZERO } from '#lib/domain/money.ts'
import type { Outcome } from '#lib/domain/row-refused.ts'
import { DOCUMENTS_IN_ONE_TRANSACTION, type Kept } from '#lib/store/billing/document.ts'
import { findInvoices, type Invoice } from '#lib/store/billing/invoice.ts'
import { invoiceProductColumns, type Product, type ProductRow } from '#lib/store/billing/invoice-product.ts'
import {
  isShort,
  type NewProductsOf,
  replaceProducts,
  replaceShortProducts,
} from '#lib/store/billing/invoice-replacement.ts'

/** The file replaces the products of each invoice it names, as a whole and in its order. */
export const invoiceProducts: RowFormat<ProductRow> = {
  columns: invoiceProductColumns,
  optionalReferences: { service_id: 'service' },
  claims: () => [],
  check: async (entries, { accepted }) => {
    for (const entry of entries)
      accepted.products.set(entry.row.invoice_id, withRow(entry, accepted.products))
    return []
  },
  checkLast: refuseWithoutInvoice,
  write: async (entries, world) => {
    const ids = new Set(entries.map(({ row }) => row.invoice_id))
    const found = await findInvoices(world.store, [...ids])
    const invoices = new Map(found.flatMap((invoice) => (invoice ? [[invoice.id, invoice]] : [])))
    const outcomes = gather(entries, world, invoices)
    await writeComplete(world, invoices)
    return outcomes
  },
}

type Invoices = ReadonlyMap<number, Invoice & Kept>

const TRANSACTIONS_AT_ONCE = 8
const INVOICES_CHECKED_AT_ONCE = 500

const NO_INVOICE = 'there is no such invoice'

const NOTHING: AcceptedProducts = { count: 0, sum: ZERO, digest: '', lines: [], gathered: [] }

function withRow(
  { line, row, digest }: Entry<ProductRow>,
  products: ReadonlyMap<number, AcceptedProducts>,
): AcceptedProducts {
  const before = products.get(row.invoice_id) ?? { ...NOTHING, lines: [], gathered: [] }
  before.lines.push(line)
  return {
    ...before,
    count: before.count + 1,
    sum: add(before.sum, row.sum),
    digest: createHash('sha256').update(before.digest).update(digest).digest('base64url'),
  }
}

/** Neither half of an invoice that does not add up is imported. */
async function refuseWithoutInvoice(world: ImportWorld): Promise<ReadonlyMap<number, string>> {
  const refused = new Map<number, string>()
  for (const some of slices(world.accepted.products, INVOICES_CHECKED_AT_ONCE)) {
    const prices = await pricesOf(
      world,
      some.map(([id]) => id),
    )
    for (const [id, products] of some) {
      for (const [line, reason] of problemsOf(id, products, prices.get(id))) refused.set(line, reason)
    }
  }
  return refused
}

function problemsOf(id: number, { sum, lines }: AcceptedProducts, price: Money | undefined) {
  const problem = price === undefined ? NO_INVOICE : totalsProblem(price, sum)
  return problem === undefined ? [] : lines.map((line) => [line, `invoice ${id}: ${problem}`] as const)
}

async function pricesOf({ accepted, store }: ImportWorld, ids: readonly number[]) {
  const others = ids.filter((id) => !accepted.invoices.has(id))
  const stored = await findInvoices(store, others)
  return new Map([
    ...ids.map((id) => [id, accepted.invoices.get(id)?.price] as const),
    ...others.map((id, position) => [id, stored[position]?.price] as const),
  ])
}

/** Keeps the products until the last one of their invoice is there: a file that is not sorted costs memory. */
function gather(
  entries: readonly Entry<ProductRow>[],
  { accepted }: ImportWorld,
  invoices: Invoices,
): Outcome[] {
  return entries.map(({ row: { invoice_id, ...product } }): Outcome => {
    const invoice = invoices.get(invoice_id)
    const products = accepted.products.get(invoice_id)
    if (!invoice || !products) return { refused: `invoice ${invoice_id}: ${NO_INVOICE}` }
    if (invoice.products_digest === products.digest) return 'unchanged'
    products.gathered.push(product satisfies Product)
    return 'written'
  })
}

/** Writes many short lists in one transaction. Where that does not go through, and for long lists, it is one by one. */
async function writeComplete(world: ImportWorld, invoices: Invoices): Promise<void> {
  const complete = [...invoices.values()].flatMap((before) => completeOf(before, world))
  const short = complete.filter(isShort)
  const groups = [
    ...slices(short, DOCUMENTS_IN_ONE_TRANSACTION),
    ...complete.filter((one) => !isShort(one)).map((one) => [one]),
  ]
  await pMap(groups, (group) => writeGroup(world.store, group), { concurrency: TRANSACTIONS_AT_ONCE })
  for (const { before } of complete) world.accepted.products.get(before.id)?.gathered.splice(0)
}

function completeOf(before: Invoice & Kept, { accepted, clock }: ImportWorld): NewProductsOf[] {
  const products = accepted.products.get(before.id)
  if (!products || products.gathered.length === 0 || products.gathered.length < products.count) return []
  return [{ ...products, products: products.gathered, before, now: clock() }]
}

async function writeGroup(store: ImportWorld['store'], group: readonly NewProductsOf[]): Promise<void> {
  const oneByOne = async () => {
    for (const { before, ...products } of group) await replaceProducts(store, before.id, products)
  }
  if (group.every(isShort)) await replaceShortProducts(store, group).catch(oneByOne)
  else await oneByOne()
}
