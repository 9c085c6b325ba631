import { findAccounts, listOwnerIds } from '#lib/accounts/account.ts'
import {
  ALL_TIME,
  DAY_SECONDS,
  type Day,
  formatDateTime,
  periodOfDay,
  type Seconds,
} from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { listPayments, type Payment } from '#lib/billing/payment.ts'
import type { Report, ReportRow } from '#lib/calls/report/report.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import { padded } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

export interface PaymentsOptions {
  /** The first day; without it, all earlier days count. */
  readonly from: Day | undefined
  readonly till: Day | undefined
  /** The ids of the only customers; `undefined` for all. */
  readonly customers: ReadonlySet<number> | undefined
  /** Only payments that equal another one of the customer within a day. */
  readonly repeated: boolean
}

/** Lists payments by customer and date. Memory holds those of the period. */
export const paymentsReport = (store: Store, options: PaymentsOptions): Report => ({
  columns: {
    customer: 'text',
    date: 'text',
    id: 'number',
    transaction: 'text',
    type: 'text',
    amount: 'number',
    currency: 'text',
    completed: 'text',
  },
  rows: paymentRows(store, options),
})

async function* paymentRows(store: Store, options: PaymentsOptions): AsyncGenerator<ReportRow> {
  const { Timezone: zone, Default_Currency } = await settingsOf(store)
  const listed = (await listedPayments(store, options, zone)).map((payment) => ({
    ...payment,
    currency: payment.currency || Default_Currency,
  }))
  const accounts = await batchedLookup((ids) => findAccounts(store, ids))(listed.map((one) => one.user_id))
  const rows = listed.map((payment) => ({
    place: padded(payment.date),
    customer: accounts.get(payment.user_id)?.username ?? `account ${payment.user_id}`,
    date: formatDateTime(payment.date, zone),
    id: payment.id,
    transaction: payment.transaction_id,
    type: payment.type,
    amount: payment.amount,
    currency: payment.currency,
    completed: payment.completed ? 'yes' : 'no',
  }))
  rows.sort((one, other) => ascending(`${one.customer}\0${one.place}`, `${other.customer}\0${other.place}`))
  for (const { place: _, ...row } of rows) yield row
}

async function listedPayments(store: Store, options: PaymentsOptions, zone: string): Promise<Payment[]> {
  const { from, till, customers, repeated } = options
  const period = {
    from: from === undefined ? ALL_TIME.from : periodOfDay(from, zone).from,
    till: till === undefined ? ALL_TIME.till : periodOfDay(till, zone).till,
  }
  const listed: Payment[] = []
  for (const owner of await listOwnerIds(store)) {
    const pages = listPayments(store, { owner }, period)
    for await (const page of pages)
      listed.push(...page.filter(({ user_id }) => customers?.has(user_id) ?? true))
  }
  return repeated ? repeatedOnes(listed) : listed
}

/** Those that have an equal one within a day before or after them. */
const repeatedOnes = (payments: readonly Payment[]): Payment[] =>
  [...Map.groupBy(payments, equalityOf).values()].flatMap((equal) =>
    equal.filter(({ date }, index) =>
      [equal[index - 1], equal[index + 1]].some((other) => other && isNear(date, other.date)),
    ),
  )

const isNear = (one: Seconds, other: Seconds): boolean => Math.abs(one - other) <= DAY_SECONDS

const equalityOf = ({ user_id, currency, amount }: Payment): string => [user_id, currency, amount].join(' ')
