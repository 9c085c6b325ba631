import type { Period } from '#lib/base/calendar.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { addedLater, dateTime, flag, id, money, optional, type Row, text } from '#lib/table/columns.ts'
import { padded } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { bookedInBalance } from './balance-item.ts'
import { defineDocuments, documentPages } from './document.ts'

// Shape

export const paymentColumns = {
  id,
  user_id: id,
  transaction_id: text(),
  date: dateTime,
  confirm_date: optional(dateTime),
  type: text(),
  amount: money(),
  /** Blank: the amount. */
  amount_with_vat: optional(money()),
  fee: money('0'),
  /** Blank: the default currency. */
  currency: text(),
  completed: flag(false),
  /** The reason why it is not completed. */
  pending_reason: text(),
  comments_for_user: text(),
  /** What it adds to the balance, in the default currency. Blank: nothing, because balances do not count it (wire.md 7.5). */
  booked: addedLater(optional(money()), undefined),
}

export type Payment = Row<typeof paymentColumns>

// Declaration

/** By date, then id. */
export const payments = defineDocuments('PAYMENT', {
  name: 'payment',
  columns: paymentColumns,
  place: '<date>#<id>',
  books: [bookedInBalance('paid')],
})

// Access patterns

/** The payments of a period, ascending by date, then id. */
export const listPayments = (store: Store, scope: LimitedScope, { from, till }: Period) =>
  documentPages(store, payments, { scope, from: padded(from), till: padded(till) })
