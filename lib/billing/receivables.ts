import { ALL_TIME, type Day, type Period } from '#lib/base/calendar.ts'
import { createSum, type Money, ZERO } from '#lib/base/money.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import type { Store } from '#lib/table/store.ts'
import { type CreditNote, creditNotes, listCreditNotes } from './credit-note.ts'
import { newestDocuments } from './document.ts'
import { type Invoice, invoices, listInvoices } from './invoice.ts'
import { grossOf, openAmount } from './invoice-payment.ts'
import { listPayments, type Payment, payments } from './payment.ts'

/** A document as it counts for what an account owes. Amounts are with VAT, in its currency. */
interface CountedDocument {
  readonly kind: 'invoices' | 'credit_notes' | 'payments'
  readonly user_id: number
  /** Blank: the default currency. */
  readonly currency: string
  readonly amount: Money
  readonly open: Money
}

/** The documents of these days; without them, all. */
interface CountedDays {
  readonly from?: Day | undefined
  readonly till?: Day | undefined
  /** The same days, for payments. */
  readonly period?: Period
}

/** The documents of a scope. Only completed payments count, as in financial_statements_get. */
export async function* countedDocuments(
  store: Store,
  scope: LimitedScope,
  { from, till, period = ALL_TIME }: CountedDays = {},
): AsyncGenerator<CountedDocument> {
  const days = { from, till }
  for await (const page of listInvoices(store, scope, days)) yield* page.map(countedInvoice)
  for await (const page of listCreditNotes(store, scope, days)) yield* page.map(countedCreditNote)
  for await (const page of listPayments(store, scope, period)) yield* page.flatMap(countedPayment)
}

/** The newest documents of an account, at most `most` of each kind. */
export async function newestCounted(store: Store, user: number, most: number) {
  // One more of each kind tells whether there are more.
  const wanted = { scope: { user }, count: most + 1 }
  const [billed, credited, paid] = await Promise.all([
    newestDocuments(store, invoices, wanted),
    newestDocuments(store, creditNotes, wanted),
    newestDocuments(store, payments, wanted),
  ])
  return {
    documents: [
      ...billed.slice(0, most).map(countedInvoice),
      ...credited.slice(0, most).map(countedCreditNote),
      ...paid.slice(0, most).flatMap(countedPayment),
    ],
    isWhole: [billed, credited, paid].every(({ length }) => length <= most),
  }
}

const countedInvoice = (one: Invoice): CountedDocument => ({
  ...counted('invoices', one, grossOf(one)),
  open: openAmount(one),
})

const countedCreditNote = (one: CreditNote): CountedDocument => counted('credit_notes', one, grossOf(one))

const countedPayment = (one: Payment): CountedDocument[] =>
  one.completed ? [counted('payments', one, one.amount_with_vat ?? one.amount)] : []

const counted = (
  kind: CountedDocument['kind'],
  { user_id, currency }: Pick<CountedDocument, 'user_id' | 'currency'>,
  amount: Money,
): CountedDocument => ({ kind, user_id, currency, amount, open: ZERO })

/** Adds up the documents of an account in one currency. */
export function createReceivable() {
  const counts = { invoices: 0, credit_notes: 0, payments: 0 }
  const sums = { invoices: createSum(), credit_notes: createSum(), payments: createSum() }
  const open = createSum()
  return {
    counts,
    add: (document: CountedDocument): void => {
      counts[document.kind] += 1
      sums[document.kind].add(document.amount)
      open.add(document.open)
    },
    total: (kind: CountedDocument['kind']): Money => sums[kind].total(),
    open: (): Money => open.total(),
  }
}

/** An account's open invoice amounts by currency, with VAT. Other payments are in the balance only. */
export async function openInvoicesOf(
  store: Store,
  user: number,
  defaultCurrency: string,
): Promise<{ readonly currency: string; readonly open: Money }[]> {
  const sums = new Map<string, ReturnType<typeof createSum>>()
  for await (const page of listInvoices(store, { user }))
    for (const one of page) {
      const currency = one.currency || defaultCurrency
      const sum = sums.get(currency) ?? createSum()
      sums.set(currency, sum)
      sum.add(openAmount(one))
    }
  return [...sums]
    .map(([currency, sum]) => ({ currency, open: sum.total() }))
    .filter(({ open }) => open !== ZERO)
}
