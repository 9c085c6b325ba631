import { paired, slices } from '#lib/base/collections.ts'
import { isZero, type Money, subtract } from '#lib/base/money.ts'
import {
  findInvoices,
  type Invoice,
  type InvoiceRow,
  invoiceColumns,
  invoices,
  withoutProducts,
} from '#lib/billing/invoice.ts'
import type { CheckedFile, FileJob } from '#lib/dataset/format/dataset-file.ts'
import type { ImportContext } from '#lib/dataset/format/import-context.ts'
import { openRows } from '#lib/dataset/format/row-file.ts'
import { documentFile, unissued, withPostingDay } from './documents.ts'

export const invoicesFile = documentFile<InvoiceRow, Invoice>({
  columns: invoiceColumns,
  kind: invoices,
  /** An invoice keeps its products, which have their own file. */
  stored: (row, before) => ({ ...withoutProducts, ...unissued(invoices, before), ...row }),
  converted: withPostingDay,
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
    remarks: (context) => totalsWarnings(invoicePrices.keys(), context),
  }
}

export const INVOICES_PER_READ = 500

/** Compares prices with the sums of products. The dataset brings either, or the table has it. */
export async function totalsWarnings(
  ids: Iterable<number>,
  { newRows: { invoicePrices, productSums }, store }: ImportContext,
): Promise<readonly string[]> {
  const warnings: string[] = []
  for (const some of slices(ids, INVOICES_PER_READ)) {
    const others = some.filter((id) => !invoicePrices.has(id) || !productSums.has(id))
    const stored = paired(others, await findInvoices(store, others))
    for (const id of some) {
      const price = invoicePrices.get(id) ?? stored.get(id)?.price
      warnings.push(...invoiceTotalsWarning(id, price, productSums.get(id) ?? stored.get(id)?.products_sum))
    }
  }
  return warnings
}

/**
 * Warns about an invoice whose products do not add up to its price. Billing systems that round each product
 * on its own write such invoices, so they are accepted. An invoice without products has no sum to compare.
 */
export function invoiceTotalsWarning(
  id: number,
  price: Money | undefined,
  sumOfProducts: Money | undefined,
): readonly string[] {
  if (price === undefined || sumOfProducts === undefined || isZero(subtract(price, sumOfProducts))) return []
  return [`warning: the price of invoice ${id} is ${price}, but its products add up to ${sumOfProducts}`]
}
