import type { CheckedFile, FileJob } from '#lib/dataset/format/dataset-file.ts'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { openRows } from '#lib/dataset/format/row-file.ts'
import { invoiceTotalsWarning } from '#lib/domain/billing/invoice.ts'
import { paired, slices } from '#lib/domain/collections.ts'
import type { Money } from '#lib/domain/money.ts'
import {
  findInvoices,
  type Invoice,
  type InvoiceRow,
  invoiceColumns,
  invoices,
  withoutProducts,
} from '#lib/store/billing/invoice.ts'
import { documentFile } from './documents.ts'

export const invoicesFile = documentFile<InvoiceRow, Invoice>({
  columns: invoiceColumns,
  kind: invoices,
  /** An invoice keeps its products, which have their own file. */
  stored: (row, before) => ({ ...withoutProducts, ...before, ...row }),
  checkedColumns: ['period_from', 'period_till'],
  problem: periodProblem,
})

/** Only a period with both ends contains days. */
function periodProblem({ period_from, period_till }: InvoiceRow): string | undefined {
  if ((period_from === undefined) !== (period_till === undefined))
    return 'a period needs both period_from and period_till'
  return (period_from ?? '') > (period_till ?? '') ? 'period_from is after period_till' : undefined
}

export async function checkInvoices(job: FileJob): Promise<CheckedFile> {
  const rows = openRows(invoicesFile, job)
  const invoicePrices = new Map<number, Money>()
  for await (const { accepted } of rows.batches())
    for (const { row } of accepted) invoicePrices.set(row.id, row.price)
  return {
    ...rows.checked(),
    brings: { invoicePrices },
    remarks: (world) => totalsWarnings(invoicePrices, world),
  }
}

const INVOICES_PER_READ = 500

/** Compares prices with the sum of the products, which the dataset brings or the table has. */
async function totalsWarnings(
  prices: ReadonlyMap<number, Money>,
  { brought: { productSums }, store }: ImportWorld,
): Promise<readonly string[]> {
  const warnings: string[] = []
  for (const some of slices(prices, INVOICES_PER_READ)) {
    const others = some.map(([id]) => id).filter((id) => !productSums.has(id))
    const stored = paired(others, await findInvoices(store, others))
    const sumOf = (id: number) => productSums.get(id) ?? stored.get(id)?.products_sum
    warnings.push(...some.flatMap(([id, price]) => invoiceTotalsWarning(id, price, sumOf(id))))
  }
  return warnings
}
