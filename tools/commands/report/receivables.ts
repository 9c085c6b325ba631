import { findAccounts, listOwnerIds } from '#lib/accounts/account.ts'
import { ALL_TIME, type Day, type Period, periodOfDay } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { createSum, fixed, type Money, niceDigits, subtract } from '#lib/base/money.ts'
import { listCreditNotes } from '#lib/billing/credit-note.ts'
import { listInvoices } from '#lib/billing/invoice.ts'
import { listPayments } from '#lib/billing/payment.ts'
import type { Report, ReportRow } from '#lib/calls/report/report.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import type { Store } from '#lib/table/store.ts'

export interface ReceivablesOptions {
  /** The first day of issue or of payment; without it, all earlier days count. */
  readonly from: Day | undefined
  readonly till: Day | undefined
  /** The ids of the only customers; `undefined` for all. */
  readonly customers: ReadonlySet<number> | undefined
}

/** Sums up the documents of each customer by currency, with VAT. Memory holds the sums of all customers. */
export const receivablesReport = (store: Store, options: ReceivablesOptions): Report => ({
  columns: {
    customer: 'text',
    currency: 'text',
    invoices: 'number',
    invoiced: 'number',
    credit_notes: 'number',
    credited: 'number',
    payments: 'number',
    paid: 'number',
    owed: 'number',
  },
  rows: receivables(store, options),
})

const KINDS = ['invoices', 'credit_notes', 'payments'] as const

/** A document as it counts for what a customer owes. */
interface CountedDocument {
  readonly kind: (typeof KINDS)[number]
  readonly user_id: number
  readonly currency: string
  readonly amount: Money
}

async function* receivables(store: Store, options: ReceivablesOptions): AsyncGenerator<ReportRow> {
  const settings = await settingsOf(store)
  const sumsOf = new Map<string, Receivable>()
  for await (const document of countedDocuments(store, options, settings.Timezone)) {
    const { user_id, currency: written } = document
    if (options.customers && !options.customers.has(user_id)) continue
    const currency = written || settings.Default_Currency
    const name = `${user_id} ${currency}`
    const receivable = sumsOf.get(name) ?? createReceivable(user_id, currency)
    sumsOf.set(name, receivable)
    receivable.add(document)
  }
  yield* await rowsOf(store, [...sumsOf.values()], niceDigits(settings))
}

/** The documents of all customers. Only completed payments count, as in financial_statements_get. */
async function* countedDocuments(
  store: Store,
  { from, till }: ReceivablesOptions,
  zone: string,
): AsyncGenerator<CountedDocument> {
  const period: Period = {
    from: from === undefined ? ALL_TIME.from : periodOfDay(from, zone).from,
    till: till === undefined ? ALL_TIME.till : periodOfDay(till, zone).till,
  }
  for (const owner of await listOwnerIds(store)) {
    yield* counted('invoices', listInvoices(store, { owner }, { from, till }), withVat)
    yield* counted('credit_notes', listCreditNotes(store, { owner }, { from, till }), withVat)
    yield* counted('payments', listPayments(store, { owner }, period), ({ amount_with_vat, ...payment }) =>
      payment.completed ? (amount_with_vat ?? payment.amount) : undefined,
    )
  }
}

/** Leaves out documents without an amount. */
async function* counted<D extends Pick<CountedDocument, 'user_id' | 'currency'>>(
  kind: CountedDocument['kind'],
  pages: AsyncIterable<readonly D[]>,
  amountOf: (document: D) => Money | undefined,
): AsyncGenerator<CountedDocument> {
  for await (const page of pages) {
    for (const document of page) {
      const amount = amountOf(document)
      const { user_id, currency } = document
      if (amount !== undefined) yield { kind, user_id, currency, amount }
    }
  }
}

const withVat = ({ price, price_with_vat = price }: { price: Money; price_with_vat?: Money | undefined }) =>
  price_with_vat

type Receivable = ReturnType<typeof createReceivable>

function createReceivable(user_id: number, currency: string) {
  const counts = { invoices: 0, credit_notes: 0, payments: 0 }
  const sums = { invoices: createSum(), credit_notes: createSum(), payments: createSum() }
  return {
    user_id,
    currency,
    counts,
    add: ({ kind, amount }: CountedDocument): void => {
      counts[kind] += 1
      sums[kind].add(amount)
    },
    total: (kind: CountedDocument['kind']): Money => sums[kind].total(),
  }
}

async function rowsOf(store: Store, found: readonly Receivable[], decimals: number): Promise<ReportRow[]> {
  const accounts = await batchedLookup((ids) => findAccounts(store, ids))(found.map(({ user_id }) => user_id))
  const rows = found.map(({ user_id, currency, counts, total }) => {
    const [invoiced, credited, paid] = KINDS.map(total) as [Money, Money, Money]
    return {
      customer: accounts.get(user_id)?.username ?? `account ${user_id}`,
      currency,
      invoices: counts.invoices,
      invoiced: fixed(invoiced, decimals),
      credit_notes: counts.credit_notes,
      credited: fixed(credited, decimals),
      payments: counts.payments,
      paid: fixed(paid, decimals),
      owed: fixed(subtract(subtract(invoiced, credited), paid), decimals),
    }
  })
  return rows.sort((one, other) =>
    ascending(`${one.customer}\0${one.currency}`, `${other.customer}\0${other.currency}`),
  )
}
