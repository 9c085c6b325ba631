import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { invoiceTotalsWarning } from '#lib/domain/billing/invoice.ts'
import { slices } from '#lib/domain/collections.ts'
import {
  findInvoices,
  type Invoice,
  type InvoiceRow,
  invoiceColumns,
  invoices,
  withoutProducts,
} from '#lib/store/billing/invoice.ts'
import { documentFile } from './documents.ts'

export const invoicesFile: RowFormat<InvoiceRow> = {
  ...documentFile<InvoiceRow, Invoice>({
    columns: invoiceColumns,
    kind: invoices,
    /** An invoice keeps its products, which have their own file. */
    stored: (row, before) => ({ ...withoutProducts, ...before, ...row }),
    checkedColumns: ['period_from', 'period_till'],
    check: async (entries, { accepted }) => {
      for (const { line, row } of entries) accepted.invoices.set(row.id, { line, price: row.price })
      return entries.map(({ row }) => periodProblem(row))
    },
  }),
  remarks: totalsWarnings,
}

/** Only a period with both ends contains days. */
function periodProblem({ period_from, period_till }: InvoiceRow): string | undefined {
  if ((period_from === undefined) !== (period_till === undefined))
    return 'a period needs both period_from and period_till'
  return (period_from ?? '') > (period_till ?? '') ? 'period_from is after period_till' : undefined
}

const INVOICES_PER_READ = 500

/** Compares prices with the sum of the products, which the dataset brings or the table has. */
async function totalsWarnings(world: ImportWorld): Promise<readonly string[]> {
  const warnings: string[] = []
  for (const some of slices(world.accepted.invoices, INVOICES_PER_READ)) {
    const sums = await productSums(
      world,
      some.map(([id]) => id),
    )
    warnings.push(...some.flatMap(([id, { price }]) => invoiceTotalsWarning(id, price, sums.get(id))))
  }
  return warnings
}

async function productSums({ accepted, store }: ImportWorld, ids: readonly number[]) {
  const others = ids.filter((id) => !accepted.products.has(id) || accepted.incompleteInvoices.has(id))
  const stored = await findInvoices(store, others)
  return new Map([
    ...ids.map((id) => [id, accepted.products.get(id)?.sum] as const),
    ...others.map((id, position) => [id, stored[position]?.products_sum] as const),
  ])
}
