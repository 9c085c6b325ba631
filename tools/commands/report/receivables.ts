import { findAccounts, listOwnerIds } from '#lib/accounts/account.ts'
import { ALL_TIME, type Day, type Period, periodOfDay } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { fixed, type Money, niceDigits } from '#lib/base/money.ts'
import { countedDocuments, createReceivable, RECEIVABLE_KINDS } from '#lib/billing/receivables.ts'
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
    open: 'number',
  },
  rows: receivables(store, options),
})

async function* receivables(store: Store, options: ReceivablesOptions): AsyncGenerator<ReportRow> {
  const settings = await settingsOf(store)
  const sumsOf = new Map<string, Receivable>()
  for await (const document of documentsOf(store, options, settings.Timezone)) {
    const { user_id, currency: written } = document
    if (options.customers && !options.customers.has(user_id)) continue
    const currency = written || settings.Default_Currency
    const name = `${user_id} ${currency}`
    const receivable = sumsOf.get(name) ?? { user_id, currency, ...createReceivable() }
    sumsOf.set(name, receivable)
    receivable.add(document)
  }
  yield* await rowsOf(store, [...sumsOf.values()], niceDigits(settings))
}

async function* documentsOf(store: Store, { from, till }: ReceivablesOptions, zone: string) {
  const period: Period = {
    from: from === undefined ? ALL_TIME.from : periodOfDay(from, zone).from,
    till: till === undefined ? ALL_TIME.till : periodOfDay(till, zone).till,
  }
  for (const owner of await listOwnerIds(store))
    yield* countedDocuments(store, { owner }, { from, till, period })
}

interface Receivable extends ReturnType<typeof createReceivable> {
  readonly user_id: number
  readonly currency: string
}

async function rowsOf(store: Store, found: readonly Receivable[], decimals: number): Promise<ReportRow[]> {
  const accounts = await batchedLookup((ids) => findAccounts(store, ids))(found.map(({ user_id }) => user_id))
  const rows = found.map(({ user_id, currency, counts, total, open }) => {
    const [invoiced, credited, paid] = RECEIVABLE_KINDS.map(total) as [Money, Money, Money]
    return {
      customer: accounts.get(user_id)?.username ?? `account ${user_id}`,
      currency,
      invoices: counts.invoices,
      invoiced: fixed(invoiced, decimals),
      credit_notes: counts.credit_notes,
      credited: fixed(credited, decimals),
      payments: counts.payments,
      paid: fixed(paid, decimals),
      open: fixed(open(), decimals),
    }
  })
  return rows.sort((one, other) =>
    ascending(`${one.customer}\0${one.currency}`, `${other.customer}\0${other.currency}`),
  )
}
