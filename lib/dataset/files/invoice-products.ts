import { createHash } from 'node:crypto'
import pMap from 'p-map'
import type { AcceptedProducts, ImportWorld } from '#lib/dataset/format/import-world.ts'
import { referenceProblems, references } from '#lib/dataset/format/references.ts'
import type { RowEntry, RowFormat } from '#lib/dataset/format/row-format.ts'
import { invoiceTotalsWarning } from '#lib/domain/billing/invoice.ts'
import { slices } from '#lib/domain/collections.ts'
import { add, ZERO } from '#lib/domain/money.ts'
import { kindOfRow, type RowKind, type RowOutcome } from '#lib/domain/row-refused.ts'
import { DOCUMENTS_IN_ONE_TRANSACTION } from '#lib/store/billing/document.ts'
import {
  findInvoices,
  type Invoice,
  invoices,
  isShort,
  type NewProductsOf,
  replaceProducts,
  replaceShortProducts,
  type StoredInvoice,
} from '#lib/store/billing/invoice.ts'
import {
  invoiceProductColumns,
  type Product,
  type ProductRow,
  productsOf,
} from '#lib/store/billing/invoice-product.ts'
import type { Item } from '#lib/store/items.ts'
import { isUnder, serviceKey } from '#lib/store/keys.ts'

const namedService = references({ service_id: serviceKey })

/** The file replaces all products of each invoice that it names, and keeps their order. */
export const invoiceProductsFile: RowFormat<ProductRow> = {
  columns: invoiceProductColumns,
  exported: { holds: isUnder(invoices.key), rows: storedProducts },
  optionalReferences: namedService,
  claims: () => [],
  check: async (entries, world) => {
    const { products } = world.accepted
    const problems = await referenceProblems(
      world,
      entries.map(({ row }) => row),
      namedService,
    )
    for (const [position, entry] of entries.entries()) {
      const { invoice_id } = entry.row
      if (problems[position] === undefined) products.set(invoice_id, withRow(entry, products))
      else noteIncomplete(invoice_id, world)
    }
    return problems
  },
  noteUnreadable: ({ invoice_id = '' }, world) => noteIncomplete(Number(invoice_id), world),
  remarks: (world) => totalsWarnings(world),
  checkLast: refuseWithoutInvoice,
  compare: async (entries, world) => {
    const invoices = await invoicesOf(entries, world)
    return entries.map(({ row: { invoice_id } }) =>
      productsKind(invoices.get(invoice_id), world.accepted.products.get(invoice_id)),
    )
  },
  write: async (entries, world) => {
    const invoices = await invoicesOf(entries, world)
    const outcomes = gatherProducts(entries, world, invoices)
    await writeComplete(world, invoices)
    return outcomes
  },
}

function noteIncomplete(id: number, { accepted, acceptRejected }: ImportWorld): void {
  if (!acceptRejected) accepted.incompleteInvoices.add(id)
}

async function* storedProducts(item: Item, store: ImportWorld['store']) {
  const invoice = invoices.check(item)
  for await (const page of productsOf(store, invoice))
    yield page.map((product) => ({ invoice_id: invoice.id, ...product }))
}

async function invoicesOf(
  entries: readonly RowEntry<ProductRow>[],
  { store }: ImportWorld,
): Promise<Invoices> {
  const ids = new Set(entries.map(({ row }) => row.invoice_id))
  const found = await findInvoices(store, [...ids])
  return new Map(found.flatMap((invoice) => (invoice ? [[invoice.id, invoice]] : [])))
}

/** Products of an invoice that has none yet are new. */
const productsKind = (invoice: Invoice | undefined, products: AcceptedProducts | undefined): RowKind =>
  invoice?.products_digest === undefined
    ? 'new'
    : kindOfRow({ digest: invoice.products_digest }, products?.digest ?? '')

type Invoices = ReadonlyMap<number, StoredInvoice>

const MAX_PARALLEL_TRANSACTIONS = 8
const INVOICES_PER_READ = 500

const NO_INVOICE = 'there is no such invoice'

const NO_PRODUCTS: AcceptedProducts = { count: 0, sum: ZERO, digest: '', lines: [], gathered: [] }

function withRow(
  { line, row }: RowEntry<ProductRow>,
  products: ReadonlyMap<number, AcceptedProducts>,
): AcceptedProducts {
  const before = products.get(row.invoice_id) ?? { ...NO_PRODUCTS, lines: [], gathered: [] }
  before.lines.push(line)
  return {
    ...before,
    count: before.count + 1,
    sum: add(before.sum, row.sum),
    digest: createHash('sha256').update(before.digest).update(textOfRow(row)).digest('base64url'),
  }
}

/** Equal for equal products, however their cells are written. */
const textOfRow = (row: ProductRow): string =>
  JSON.stringify(Object.entries(row).sort(([one], [other]) => one.localeCompare(other)))

async function refuseWithoutInvoice(world: ImportWorld): Promise<ReadonlyMap<number, string>> {
  const refused = new Map<number, string>()
  for (const some of slices(world.accepted.products, INVOICES_PER_READ)) {
    const prices = await pricesOf(
      world,
      some.map(([id]) => id),
    )
    const linesOf = some.flatMap(([id, { lines }]) => {
      const reason = prices.get(id) === undefined ? NO_INVOICE : incompleteProblem(id, world)
      return reason === undefined ? [] : lines.map((line) => [line, `invoice ${id}: ${reason}`] as const)
    })
    for (const [line, reason] of linesOf) refused.set(line, reason)
  }
  return refused
}

/** The products of an invoice are replaced together or not at all. */
const incompleteProblem = (id: number, { accepted }: ImportWorld): string | undefined =>
  accepted.incompleteInvoices.has(id)
    ? 'another of its products is refused (--accept-rejected imports the others)'
    : undefined

/** Warns of stored invoices whose price differs from the sum of their new products. */
async function totalsWarnings(world: ImportWorld): Promise<readonly string[]> {
  const { products, invoices, incompleteInvoices } = world.accepted
  const warnings: string[] = []
  for (const some of slices(
    [...products].filter(([id]) => !invoices.has(id) && !incompleteInvoices.has(id)),
    INVOICES_PER_READ,
  )) {
    const prices = await pricesOf(
      world,
      some.map(([id]) => id),
    )
    warnings.push(...some.flatMap(([id, { sum }]) => invoiceTotalsWarning(id, prices.get(id), sum)))
  }
  return warnings
}

async function pricesOf({ accepted, store }: ImportWorld, ids: readonly number[]) {
  const others = ids.filter((id) => !accepted.invoices.has(id))
  const stored = await findInvoices(store, others)
  return new Map([
    ...ids.map((id) => [id, accepted.invoices.get(id)?.price] as const),
    ...others.map((id, position) => [id, stored[position]?.price] as const),
  ])
}

/** Gathers the products until their invoice is complete. A file that is not sorted by invoice needs more memory. */
function gatherProducts(
  entries: readonly RowEntry<ProductRow>[],
  { accepted }: ImportWorld,
  invoices: Invoices,
): RowOutcome[] {
  return entries.map(({ row: { invoice_id, ...product } }): RowOutcome => {
    const invoice = invoices.get(invoice_id)
    const products = accepted.products.get(invoice_id)
    if (!invoice || !products) return { refused: `invoice ${invoice_id}: ${NO_INVOICE}` }
    const kind = productsKind(invoice, products)
    if (kind !== 'unchanged') products.gathered.push(product satisfies Product)
    return kind
  })
}

/** Writes many short lists in one transaction. If that fails, and for long lists, it writes them one by one. */
async function writeComplete(world: ImportWorld, invoices: Invoices): Promise<void> {
  const complete = [...invoices.values()].flatMap((before) => completeProducts(before, world))
  const short = complete.filter(isShort)
  const groups = [
    ...slices(short, DOCUMENTS_IN_ONE_TRANSACTION),
    ...complete.filter((one) => !isShort(one)).map((one) => [one]),
  ]
  await pMap(groups, (group) => writeGroup(world.store, group), { concurrency: MAX_PARALLEL_TRANSACTIONS })
  for (const { before } of complete) world.accepted.products.get(before.id)?.gathered.splice(0)
}

function completeProducts(before: StoredInvoice, { accepted, clock }: ImportWorld): NewProductsOf[] {
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
