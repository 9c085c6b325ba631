import { isCharged } from '#lib/base/balance.ts'
import { type Day, firstOfMonth } from '#lib/base/calendar.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { date, id, integer, money, oneOf, optional, optionalId, type Row, text } from '#lib/table/columns.ts'
import type { Store } from '#lib/table/store.ts'
import { bookedInBalance } from '../balance-item.ts'
import type { Books } from '../booking.ts'
import { defineDocuments, documentPages, type PlaceRange } from '../document.ts'
import { CHARGE_PERIODS } from './charge-rules.ts'

export const chargeColumns = {
  id,
  user_id: id,
  subscription_id: id,
  service_id: id,
  device_id: optionalId,
  /** The day on which it is charged. Its month is that of its period. */
  date,
  from: date,
  till: date,
  period: oneOf(CHARGE_PERIODS),
  /** Counts the charges and refunds of one subscription and period, from 0. */
  sequence: integer(0),
  quantity: integer(1),
  /** The price of the service when the period began, in `currency`. */
  price: money(),
  /** Blank: the default currency. */
  currency: text(),
  /** The cost of the days from `from` to `till`, in `currency`; negative for a refund. */
  net: money(),
  /** The same in the default currency, at the exchange rate of `date`. */
  amount: money(),
  /** The name of the service. */
  memo: text(),
  /** Taken from the balance. Blank: nothing, because its day is before Balance_From (wire.md 7.5). */
  booked: optional(money()),
}

/** The cost of a subscription for some days. */
export type Charge = Row<typeof chargeColumns>

export const periodOfCharge = ({ from, period }: Pick<Charge, 'from' | 'period'>): Day =>
  period === 'month' ? firstOfMonth(from) : from

/** Keyed by period, subscription and sequence: a charge that is made twice at once is stored once. */
export const charges = defineDocuments('CHARGE', {
  name: 'charge',
  columns: chargeColumns,
  place: '<period_from>#<subscription_id>#<sequence>',
  computed: (row) => ({ period_from: periodOfCharge(row) }),
  books: [bookedInBalance('fees')],
})

/** The charge with what it takes from the balance. Its amount was converted when it was made. */
export const withBookedCharge = <R extends Pick<Charge, 'amount' | 'date'>>(
  row: R,
  _before: unknown,
  { settings }: Pick<Books, 'settings'>,
) => ({ ...row, booked: isCharged(row.date, settings) ? row.amount : undefined })

/** The charges of periods that begin on these days, or all; ascending by period, then subscription. */
export const listCharges = (store: Store, scope: LimitedScope, days: PlaceRange = {}) =>
  documentPages(store, charges, { scope, ...days })
