import { listOwnerIds } from '#lib/accounts/account.ts'
import { ALL_TIME, type Day, type Period, periodOfDay } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { fixed, type Money, niceDigits } from '#lib/base/money.ts'
import { countedDocuments, createReceivable } from '#lib/billing/receivables.ts'
import type { Report } from '#lib/calls/report/report.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
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
  for await (const document of documentsOf(store, options, settings.Timezone)) {
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
    open: ['number', ({ open }) => print(open())],
  })

async function* documentsOf(store: Store, { from, till }: ReceivablesOptions, zone: string) {
  const period: Period = {
    from: from === undefined ? ALL_TIME.from : periodOfDay(from, zone).from,
    till: till === undefined ? ALL_TIME.till : periodOfDay(till, zone).till,
  }
  for (const owner of await listOwnerIds(store))
    yield* countedDocuments(store, { owner }, { from, till, period })
}
