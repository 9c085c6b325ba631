import pMap from 'p-map'
import { paired, slices } from '#lib/base/collections.ts'
import { add, type Money, ZERO } from '#lib/base/money.ts'
import { kindOfRow, type RowKind, type RowOutcome } from '#lib/base/row-refused.ts'
import { DOCUMENTS_IN_ONE_TRANSACTION } from '#lib/billing/document.ts'
import {
  findInvoices,
  type Invoice,
  isIssued,
  isShort,
  type NewProductsOf,
  replaceProducts,
  replaceShortProducts,
  type StoredInvoice,
} from '#lib/billing/invoice.ts'
import {
  digestWith,
  invoiceProductColumns,
  ofNoKind,
  type Product,
  type ProductRow,
} from '#lib/billing/invoice-product.ts'
import type { CheckedFile, FileJob } from '#lib/dataset/format/dataset-file.ts'
import type { ImportContext } from '#lib/dataset/format/import-context.ts'
import { referenceProblems, references } from '#lib/dataset/format/references.ts'
import { openRows } from '#lib/dataset/format/row-file.ts'
import { type Outcomes, type RowEntry, type RowFormat, rowsOf } from '#lib/dataset/format/row-format.ts'
import { serviceKey } from '#lib/table/keys.ts'
import { INVOICES_PER_READ, totalsWarnings } from './invoices.ts'

const namedService = references({ service_id: serviceKey })

/** The product rows of an invoice in a file. */
interface ProductList {
  readonly lines: number[]
  readonly sum: Money
  /** The digest of all rows, in their order. */
  readonly digest: string
  /** The products that were read again to be written. */
  readonly gathered: Product[]
}

type ProductLists = ReadonlyMap<number, ProductList>

export const productRows = (lists: ProductLists): RowFormat<ProductRow> => ({
  columns: invoiceProductColumns,
  optionalReferences: namedService,
  claims: () => [],
  check: async (entries, context) => {
    const missing = await referenceProblems(context, rowsOf(entries), namedService)
    return ({ row }) => missing(row)
  },
  compare: async (entries, context) => {
    const stored = await invoicesOf(entries, context)
    return entries.map(({ row: { invoice_id } }) =>
      productsKind(stored.get(invoice_id), lists.get(invoice_id)),
    )
  },
  write: async (entries, context) => {
    const stored = await invoicesOf(entries, context)
    const outcomes = gatherProducts(entries, lists, stored)
    await writeComplete(lists, stored, context)
    return outcomes
  },
})

/** The file replaces all products of each invoice that it names, and keeps their order. */
export async function checkProducts(job: FileJob): Promise<CheckedFile> {
  const lists = new Map<number, ProductList>()
  const incomplete = new Set<number>()
  const rows = openRows(productRows(lists), job)
  for await (const { accepted, refused } of rows.batches()) {
    for (const entry of accepted) lists.set(entry.row.invoice_id, withRow(entry, lists))
    if (job.options.acceptRejected) continue
    for (const { cells } of refused) incomplete.add(Number(cells['invoice_id'] ?? ''))
  }
  const complete = [...lists].filter(([id]) => !incomplete.has(id))
  const productSums = new Map(complete.map(([id, { sum }]) => [id, sum]))
  return {
    ...rows.checked(),
    brings: { productSums },
    checkLast: async (context) => {
      for (const [line, reason] of await linesToRefuse(lists, incomplete, context)) rows.refuse(line, reason)
    },
    remarks: (context) => {
      const { invoicePrices } = context.newRows
      const others = [...productSums.keys()].filter((id) => !invoicePrices.has(id))
      return totalsWarnings(others, context)
    },
  }
}

async function invoicesOf(
  entries: readonly RowEntry<ProductRow>[],
  { store }: ImportContext,
): Promise<StoredInvoices> {
  const ids = new Set(entries.map(({ row }) => row.invoice_id))
  const found = await findInvoices(store, [...ids])
  return new Map(found.flatMap((invoice) => (invoice ? [[invoice.id, invoice]] : [])))
}

/** Products of an invoice that has none yet are new. */
const productsKind = (invoice: Invoice | undefined, products: ProductList | undefined): RowKind =>
  invoice?.products_digest === undefined
    ? 'new'
    : kindOfRow({ digest: invoice.products_digest }, products?.digest ?? '')

type StoredInvoices = ReadonlyMap<number, StoredInvoice>

const MAX_PARALLEL_TRANSACTIONS = 8

const NO_INVOICE = 'there is no such invoice'

function withRow({ line, row }: RowEntry<ProductRow>, lists: ProductLists): ProductList {
  const before = lists.get(row.invoice_id) ?? { lines: [], sum: ZERO, digest: '', gathered: [] }
  before.lines.push(line)
  return { ...before, sum: add(before.sum, row.sum), digest: digestWith(before.digest, row) }
}

/** The products of an invoice are replaced together or not at all. */
async function linesToRefuse(
  lists: ProductLists,
  incomplete: ReadonlySet<number>,
  context: ImportContext,
): Promise<[line: number, reason: string][]> {
  const refused: [line: number, reason: string][] = []
  for (const some of slices(lists, INVOICES_PER_READ)) {
    const priceOf = await findPrices(some, context)
    const isUnknown = (id: number) => priceOf(id) === undefined
    const wrong = some.filter(([id]) => isUnknown(id) || incomplete.has(id))
    for (const [id, { lines }] of wrong)
      refused.push(...refusedLines(lines, `invoice ${id}: ${isUnknown(id) ? NO_INVOICE : INCOMPLETE}`))
  }
  return refused
}

const refusedLines = (lines: readonly number[], reason: string): [line: number, reason: string][] =>
  lines.map((line) => [line, reason])

const INCOMPLETE = 'another of its products is refused (--accept-rejected imports the others)'

/** Looks up the prices of invoices that the dataset brings or the table has. */
async function findPrices(
  invoices: readonly (readonly [id: number, unknown])[],
  { newRows: { invoicePrices }, store }: ImportContext,
): Promise<(id: number) => Money | undefined> {
  const others = invoices.map(([id]) => id).filter((id) => !invoicePrices.has(id))
  const stored = paired(others, await findInvoices(store, others))
  return (id) => invoicePrices.get(id) ?? stored.get(id)?.price
}

/** Gathers products until their invoice is complete. A file not sorted by invoice needs more memory. */
function gatherProducts(
  entries: readonly RowEntry<ProductRow>[],
  lists: ProductLists,
  stored: StoredInvoices,
): Outcomes<ProductRow> {
  const gather = ({ row: { invoice_id, ...product } }: RowEntry<ProductRow>): RowOutcome => {
    const invoice = stored.get(invoice_id)
    const list = lists.get(invoice_id)
    if (!invoice || !list) return { refused: `invoice ${invoice_id}: ${NO_INVOICE}` }
    const kind = productsKind(invoice, list)
    if (isIssued(invoice) && kind !== 'unchanged')
      return { refused: `invoice ${invoice.number} was issued here and never changes` }
    if (kind !== 'unchanged') list.gathered.push({ ...product, ...ofNoKind })
    return kind
  }
  return paired(entries, entries.map(gather))
}

/** Writes many short lists in one transaction. If it fails, and for long lists, one by one. */
async function writeComplete(
  lists: ProductLists,
  stored: StoredInvoices,
  { store, clock }: ImportContext,
): Promise<void> {
  const complete = [...stored.values()].flatMap((before): NewProductsOf[] => {
    const list = lists.get(before.id)
    const isComplete = list && list.gathered.length > 0 && list.gathered.length >= list.lines.length
    return isComplete ? [{ ...list, products: list.gathered, before, now: clock() }] : []
  })
  const short = complete.filter(isShort)
  const groups = [
    ...slices(short, DOCUMENTS_IN_ONE_TRANSACTION),
    ...complete.filter((one) => !isShort(one)).map((one) => [one]),
  ]
  await pMap(groups, (group) => writeGroup(store, group), { concurrency: MAX_PARALLEL_TRANSACTIONS })
  for (const { before } of complete) lists.get(before.id)?.gathered.splice(0)
}

async function writeGroup(store: ImportContext['store'], group: readonly NewProductsOf[]): Promise<void> {
  const oneByOne = async () => {
    for (const { before, ...products } of group) await replaceProducts(store, before.id, products)
  }
  if (group.every(isShort)) await replaceShortProducts(store, group).catch(oneByOne)
  else await oneByOne()
}
