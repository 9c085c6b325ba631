import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { subtract, ZERO } from '#lib/base/money.ts'
import type { Refusal } from '#lib/base/refusal.ts'
import { type CreditNote, creditNotes } from '#lib/billing/credit-note.ts'
import { findInvoices } from '#lib/billing/invoice.ts'
import { grossOf } from '#lib/billing/invoice-payment.ts'
import { type Product, productsOf } from '#lib/billing/invoice-product.ts'
import type { Store } from '#lib/table/store.ts'
import type { Totals } from './amounts.ts'
import { keepBrand } from './documents/brand.ts'
import { unfitFormat } from './documents/e-invoice.ts'
import { isEmptyDraft, negativeProducts } from './draft.ts'
import { issueDocument, type MonthOutcome } from './issue.ts'
import { customerMonths } from './month-customers.ts'
import type { BillRun } from './month-items.ts'
import type { CustomerMonth, MonthRun } from './month-run.ts'
import { openNumbers } from './numbers.ts'

/** A customer's month, previewed or issued. A credit note's amounts are negative here. */
export interface BilledCustomer extends Totals {
  readonly account: WholeAccount
  /** `open`: it can be issued. `done`: it was issued before. */
  readonly outcome: 'open' | 'issued' | 'done' | 'empty' | 'refused'
  /** Blank without a document. */
  readonly number: string
  readonly currency: string
  readonly products: readonly Product[]
  /** Why it is refused. */
  readonly reason: Refusal | undefined
  /** Why its document cannot be written as its document_format says. */
  readonly unfit: Refusal | undefined
  readonly suspended: number
}

type Outcome = MonthOutcome | { readonly kind: 'open' }

/** Previews these customers' month, or issues it with what `openIssue` returns, in order. */
export async function* billMonth(
  run: MonthRun,
  ids: AsyncIterable<number> | Iterable<number>,
  bill: (read: CustomerMonth) => Outcome | Promise<Outcome> = outcomeOf,
): AsyncGenerator<BilledCustomer> {
  for await (const read of customerMonths(run, ids)) yield billedCustomer(run, read, await bill(read))
}

/** Returns what issues the document of a customer. */
export async function openIssue(run: MonthRun) {
  const numbers = await openNumbers(run.store, run.settings, run.owner_id)
  const issued = { ...run, brand: await keepBrand(run.store, run.owner_id) }
  return (read: CustomerMonth) => issueDocument(issued, numbers, read)
}

export const billedCustomer = async (run: MonthRun, read: CustomerMonth, outcome: Outcome) => ({
  ...rowOf(run, read),
  ...(await columnsOfOutcome(run.store, outcome)),
})

function outcomeOf({ done, refusal, draft }: CustomerMonth): Outcome {
  if (done) return { kind: 'done', run: done }
  if (refusal !== undefined) return { kind: 'refused', reason: refusal }
  return { kind: isEmptyDraft(draft) ? 'empty' : 'open' }
}

function rowOf(
  { settings, seller }: MonthRun,
  { account, draft, terms: { currency }, suspended }: CustomerMonth,
) {
  const { net, vat, gross, products } = draft
  const unfit = unfitFormat(settings, seller, { ...account, currency })
  return { account, number: '', currency, net, vat, gross, products, reason: undefined, unfit, suspended }
}

async function columnsOfOutcome(store: Store, outcome: Outcome) {
  if (outcome.kind === 'issued') return { outcome: outcome.kind, number: outcome.document.number }
  if (outcome.kind === 'refused') return { outcome: outcome.kind, reason: outcome.reason }
  if (outcome.kind === 'done') return { outcome: outcome.kind, ...(await documentOf(store, outcome.run)) }
  return { outcome: outcome.kind }
}

/** The document that an earlier run has issued. */
async function documentOf(store: Store, { outcome, id = -1, number = '' }: BillRun) {
  if (outcome === 'credit_note') {
    const note = await creditNotes.find(store, id)
    return note
      ? { number, ...negativeTotals(note), products: negativeProducts(note.products ?? []) }
      : { number }
  }
  const [invoice] = outcome === 'invoice' ? await findInvoices(store, [id]) : []
  if (!invoice) return { number }
  const products = (await Array.fromAsync(productsOf(store, invoice))).flat()
  const gross = grossOf(invoice)
  const { currency, price: net } = invoice
  return { number, currency, net, gross, vat: subtract(gross, net), products }
}

function negativeTotals(note: Pick<CreditNote, 'price' | 'price_with_vat'>): Totals {
  const [net, gross] = [subtract(ZERO, note.price), subtract(ZERO, grossOf(note))]
  return { net, gross, vat: subtract(gross, net) }
}
