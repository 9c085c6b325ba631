import { listOwnerIds } from '#lib/accounts/account.ts'
import { type Day, periodOfDays } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { createSum, fixed, type Money, niceDigits, ZERO } from '#lib/base/money.ts'
import { adjustments, entriesOfAdjustment } from '#lib/billing/adjustment.ts'
import type { LedgerEntry } from '#lib/billing/balance-item.ts'
import { entriesOfCreditNote, listCreditNotes } from '#lib/billing/credit-note.ts'
import { documentPages } from '#lib/billing/document.ts'
import { listInvoices } from '#lib/billing/invoice.ts'
import { entriesOfInvoice, grossOf } from '#lib/billing/invoice-payment.ts'
import { createLedger } from '#lib/billing/ledger/ledger-figures.ts'
import { entriesOfPayment, grossOfPayment, listPayments } from '#lib/billing/payment.ts'
import type { Report } from '#lib/calls/report/report.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { padded } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { rowsOfThings } from '../../command-line/listing.ts'
import { withCustomers } from '../../command-line/named.ts'

export interface ReceivablesOptions {
  /** The first day of issue or of payment; without it, all earlier days count. */
  readonly from: Day | undefined
  readonly till: Day | undefined
  /** The ids of the only customers; `undefined` for all. */
  readonly customers: ReadonlySet<number> | undefined
}

/** Sums up the documents of each customer by currency, with VAT. Memory holds the sums of all customers. */
export async function receivablesReport(store: Store, options: ReceivablesOptions): Promise<Report> {
  const settings = await settingsOf(store)
  const sumsOf = new Map<string, Receivable>()
  for await (const document of countedDocuments(store, options, settings.Timezone)) {
    const { user_id, currency: written } = document
    if (options.customers && !options.customers.has(user_id)) continue
    const currency = written || settings.Default_Currency
    const name = `${user_id} ${currency}`
    const receivable = sumsOf.get(name) ?? { user_id, currency, ...createReceivable() }
    sumsOf.set(name, receivable)
    receivable.add(document)
  }
  const sums = await Array.fromAsync(withCustomers(store, [[...sumsOf.values()]]))
  sums.sort((one, other) => ascending(placeOf(one), placeOf(other)))
  return receivablesIn(sums, (amount) => fixed(amount, niceDigits(settings)))
}

/** A customer's sums in a currency. */
interface Receivable extends ReturnType<typeof createReceivable> {
  readonly user_id: number
  readonly currency: string
}

type NamedReceivable = Receivable & { readonly customer: string }

const placeOf = ({ customer, currency }: NamedReceivable): string => `${customer}\0${currency}`

const receivablesIn = (sums: readonly NamedReceivable[], print: (amount: Money) => string): Report =>
  rowsOfThings(sums, {
    customer: 'text',
    currency: 'text',
    invoices: ['number', ({ counts }) => counts.invoices],
    invoiced: ['number', ({ total }) => print(total('invoices'))],
    credit_notes: ['number', ({ counts }) => counts.credit_notes],
    credited: ['number', ({ total }) => print(total('credit_notes'))],
    payments: ['number', ({ counts }) => counts.payments],
    paid: ['number', ({ total }) => print(total('payments'))],
    owed: ['number', ({ figures }) => print(figures().owed)],
    open: ['number', ({ figures }) => print(figures().open)],
    unassigned: ['number', ({ figures }) => print(figures().unassigned)],
  })

/** A document's part in the debt of an account. Amounts are with VAT, in its currency. */
interface CountedDocument {
  readonly kind: 'invoices' | 'credit_notes' | 'payments' | 'others'
  readonly user_id: number
  /** Blank: the default currency. */
  readonly currency: string
  readonly amount: Money
  readonly owed: Money
  readonly open: Money
}

/** The documents of all owners. Only completed payments count, as in financial_statements_get. */
async function* countedDocuments(
  store: Store,
  { from, till }: ReceivablesOptions,
  zone: string,
): AsyncGenerator<CountedDocument> {
  const days = { from, till }
  const period = periodOfDays(days, zone)
  const moments = { from: padded(period.from), till: padded(period.till) }
  for (const owner of await listOwnerIds(store)) {
    const scope = { owner }
    for await (const page of listInvoices(store, scope, days))
      yield* page.flatMap((one) => counted('invoices', one, grossOf(one), entriesOfInvoice(one)))
    for await (const page of listCreditNotes(store, scope, days))
      yield* page.flatMap((one) => counted('credit_notes', one, grossOf(one), entriesOfCreditNote(one)))
    for await (const page of listPayments(store, scope, period))
      yield* page.flatMap((one) => counted('payments', one, grossOfPayment(one), entriesOfPayment(one)))
    for await (const page of documentPages(store, adjustments, { scope, ...moments }))
      yield* page.flatMap((one) => counted('others', one, ZERO, entriesOfAdjustment(one)))
  }
}

/** A document has one entry, and two more for each part that pays an invoice in another currency. */
const counted = (
  kind: CountedDocument['kind'],
  { user_id }: Pick<CountedDocument, 'user_id'>,
  amount: Money,
  entries: readonly LedgerEntry[],
): CountedDocument[] =>
  entries.map((entry, index) => ({
    user_id,
    ...(index === 0 ? { kind, amount } : { kind: 'others', amount: entry.owed }),
    ...{ currency: entry.currency, owed: entry.owed, open: entry.open ?? ZERO },
  }))

/** Adds up the documents of an account in one currency. */
function createReceivable() {
  const counts = { invoices: 0, credit_notes: 0, payments: 0, others: 0 }
  const sums = {
    ...{ invoices: createSum(), credit_notes: createSum(), payments: createSum(), others: createSum() },
  }
  const ledger = createLedger()
  return {
    counts,
    add: ({ kind, amount, owed, open }: CountedDocument): void => {
      counts[kind] += 1
      sums[kind].add(amount)
      ledger.add('', { owed, open })
    },
    total: (kind: CountedDocument['kind']): Money => sums[kind].total(),
    figures: () => ledger.figures()[0] ?? { owed: ZERO, open: ZERO, unassigned: ZERO },
  }
}
