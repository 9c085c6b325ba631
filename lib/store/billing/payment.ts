import type { LimitedScope } from '#lib/domain/accounts/scope.ts'
import type { Period } from '#lib/domain/calendar.ts'
import { dateTime, flag, id, money, optional, type Row, text } from '#lib/store/columns.ts'
import { padded } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
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
}

export type Payment = Row<typeof paymentColumns>

// Declaration

/** By date, then id. */
export const payments = defineDocuments('PAYMENT', {
  name: 'payment',
  columns: paymentColumns,
  place: '<date>#<id>',
})

// Access patterns

/** The payments of a period, ascending by date, then id. */
export const listPayments = (store: Store, scope: LimitedScope, { from, till }: Period) =>
  documentPages(store, payments, { scope, from: padded(from), till: padded(till) })
