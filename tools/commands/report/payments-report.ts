import { listOwnerIds } from '#lib/accounts/account.ts'
import { DAY_SECONDS, type Day, formatDateTime, periodOfDays, type Seconds } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { listPayments, type Payment } from '#lib/billing/payment.ts'
import type { Report } from '#lib/calls/report/report.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { padded } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { rowsOfThings } from '../../command-line/listing.ts'
import { withCustomers } from '../../command-line/named.ts'

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
export async function paymentsReport(store: Store, options: PaymentsOptions): Promise<Report> {
  const { Timezone: zone, Default_Currency } = await settingsOf(store)
  const listed = [await listedPayments(store, options, zone)]
  const payments = await Array.fromAsync(withCustomers(store, listed))
  payments.sort((one, other) => ascending(placeOf(one), placeOf(other)))
  return rowsOfThings(payments, {
    customer: 'text',
    date: ['text', ({ date }) => formatDateTime(date, zone)],
    id: 'number',
    transaction: ['text', ({ transaction_id }) => transaction_id],
    type: 'text',
    amount: 'number',
    currency: ['text', ({ currency }) => currency || Default_Currency],
    completed: ['text', ({ completed }) => (completed ? 'yes' : 'no')],
  })
}

const placeOf = ({ customer, date }: Pick<Payment, 'date'> & { readonly customer: string }): string =>
  `${customer}\0${padded(date)}`

async function listedPayments(store: Store, options: PaymentsOptions, zone: string): Promise<Payment[]> {
  const { from, till, customers, repeated } = options
  const period = periodOfDays({ from, till }, zone)
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
