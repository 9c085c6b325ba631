import type { LimitedScope } from '#lib/domain/accounts/scope.ts'
import type { Period } from '#lib/domain/calendar.ts'
import { dateTime, flag, id, money, optional, type Row, text } from '#lib/store/columns.ts'
import { changesOf } from '#lib/store/entity-changes.ts'
import { nextId } from '#lib/store/id-counter.ts'
import { padded } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
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

/** What an operator says about a payment. */
type SaidOfPayment = Pick<
  Payment,
  'amount' | 'currency' | 'date' | 'type' | 'transaction_id' | 'comments_for_user'
>

/**
 * Stores a completed payment of an account under a new id, together with `others`, such as the entry of the log. Datasets
 * have ids of their own, so these begin above them. Throws ConditionFailed when the id is taken, or the account has another
 * owner by now.
 */
export async function recordPayment(
  store: Store,
  { id: user_id, owner_id }: { readonly id: number; readonly owner_id: number },
  said: SaidOfPayment,
  others: (paymentId: number) => Change,
): Promise<Payment> {
  const paymentId = await freeId(store)
  const payment: Payment = {
    id: paymentId,
    user_id,
    ...said,
    confirm_date: said.date,
    amount_with_vat: undefined,
    fee: '0',
    completed: true,
    pending_reason: '',
  }
  await store.transact([
    ...changesOf(payments, undefined, { ...payment, owner_id, digest: undefined }),
    others(paymentId),
  ])
  return payment
}

/** Ids of datasets are usually small: those given out here begin above them. */
const FIRST_OWN_ID = 1_000_000_000

async function freeId(store: Store): Promise<number> {
  return FIRST_OWN_ID + (await nextId(store, 'payment'))
}
