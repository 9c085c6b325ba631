import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { totalsWarning } from '#lib/domain/billing/invoice.ts'
import { slices } from '#lib/domain/collections.ts'
import {
  findInvoices,
  type Invoice,
  type InvoiceRow,
  invoiceColumns,
  invoices as kind,
  withoutProducts,
} from '#lib/store/billing/invoice.ts'
import { documentFile } from './document-file.ts'

export const invoices: RowFormat<InvoiceRow> = {
  ...documentFile<InvoiceRow, Invoice>({
    columns: invoiceColumns,
    kind,
    /** The products come in a file of their own, so those that the invoice has stay. */
    stored: (row, before) => ({ ...withoutProducts, ...before, ...row }),
    check: async (entries, { accepted }) => {
      for (const { line, row } of entries) accepted.invoices.set(row.id, { line, price: row.price })
      return entries.map(({ row }) => periodProblem(row))
    },
  }),
  remarks: totalsWarnings,
}

/** Only a period with both ends holds days. */
function periodProblem({ period_from, period_till }: InvoiceRow): string | undefined {
  if ((period_from === undefined) !== (period_till === undefined))
    return 'a period has both period_from and period_till'
  return (period_from ?? '') > (period_till ?? '') ? 'period_from is after period_till' : undefined
}

const INVOICES_AT_ONCE = 500

/** By the products that this dataset brings, or else those in the table. */
async function totalsWarnings(world: ImportWorld): Promise<readonly string[]> {
  const warnings: string[] = []
  for (const some of slices(world.accepted.invoices, INVOICES_AT_ONCE)) {
    const sums = await productSums(
      world,
      some.map(([id]) => id),
    )
    warnings.push(...some.flatMap(([id, { price }]) => totalsWarning(id, price, sums.get(id))))
  }
  return warnings
}

async function productSums({ accepted, store }: ImportWorld, ids: readonly number[]) {
  const others = ids.filter((id) => !accepted.products.has(id) || accepted.shortInvoices.has(id))
  const stored = await findInvoices(store, others)
  return new Map([
    ...ids.map((id) => [id, accepted.products.get(id)?.sum] as const),
    ...others.map((id, position) => [id, stored[position]?.products_sum] as const),
  ])
}
