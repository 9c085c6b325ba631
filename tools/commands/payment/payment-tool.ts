import { findAccount } from '#lib/accounts/account.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { isPositive, type Money } from '#lib/base/money.ts'
import { openBooks } from '#lib/billing/booked-documents.ts'
import { withBookedAmount } from '#lib/billing/booking.ts'
import type { OwnedDocument } from '#lib/billing/document.ts'
import { type Payment, payments } from '#lib/billing/payment.ts'
import { paymentTransactionKey, type RecordedPayment, recordPayment } from '#lib/billing/payment-booking.ts'
import { findCurrencies } from '#lib/rates/currency.ts'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Stored } from '#lib/table/entity.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { findStoredAccountNamed } from '../../command-line/named.ts'
import { type Act, operatorOf, refuseRace } from '../../command-line/over-table.ts'
import { CommandError } from '../../machine/terminal.ts'

interface PaymentOptions {
  readonly account: string
  readonly amount: Money
  /** Blank: the default currency. */
  readonly currency: string
  readonly type: string
  readonly reference: string
  readonly comment: string
}

/** Records a completed payment of an account, as of now. */
export async function addPayment(store: Store, wanted: PaymentOptions, act: Act): Promise<string[]> {
  const { amount, currency } = wanted
  if (!isPositive(amount)) throw new CommandError(`The amount is ${amount}: a payment is above 0`)
  const settings = await settingsOf(store)
  if (currency !== '' && currency !== settings.Default_Currency) {
    const [known] = await findCurrencies(store, [currency])
    if (!known)
      throw new CommandError(`There is no currency ${currency}: import currencies.csv with its rate`)
  }
  const account = await findStoredAccountNamed(store, wanted.account)
  const who = await operatorOf(store, act)
  const words = `of ${account.username}: ${amount} ${currency || settings.Default_Currency}`
  const logged = (paymentId: number) =>
    inAuditLog({ at: act.now.toISOString(), who, action: `recorded payment ${paymentId} ${words}` })
  const said = {
    user_id: account.id,
    amount,
    currency,
    date: secondsOf(act.now),
    type: wanted.type,
    transaction_id: wanted.reference,
    comments_for_user: wanted.comment,
    completed: true,
  }
  const books = await openBooks(store, settings, [currency])
  const payment = await recordPayment(store, account, { now: act.now, said, books, logged })
  return [`Payment ${payment.id} ${words}`]
}

/** Completes a payment that waits for its confirmation. */
export async function completePayment(store: Store, paymentId: number, act: Act): Promise<string[]> {
  const payment = await payments.find(store, paymentId)
  if (!payment)
    throw new CommandError(`There is no payment ${paymentId}: npx tollgate call payments_get lists them`)
  if (payment.completed) return [`Payment ${paymentId} is already completed`]
  const settings = await settingsOf(store)
  const account = await findAccount(store, payment.user_id)
  const { amount, currency } = payment
  const words = `of ${account?.username}: ${amount} ${currency || settings.Default_Currency}`
  const who = await operatorOf(store, act)
  const logged = () =>
    inAuditLog({ at: act.now.toISOString(), who, action: `confirmed payment ${paymentId} ${words}` })
  const books = await openBooks(store, settings, [currency])
  await confirmPayment(store, payment, { now: act.now, books, logged }).catch(refuseRace('this payment'))
  return [`Payment ${paymentId} ${words} is completed`]
}

/**
 * Completes a payment that an operator has found to be paid, and books it as of now. A repetition of its request is answered as
 * confirmed from then on. Throws ConditionFailed when the payment has changed since it was read.
 */
export async function confirmPayment(
  store: Store,
  before: Stored<OwnedDocument<Payment>>,
  { now, books, logged }: Pick<RecordedPayment, 'now' | 'books' | 'logged'>,
): Promise<void> {
  const confirmed = { ...before, completed: true, confirm_date: secondsOf(now), pending_reason: '' }
  const after = withBookedAmount(confirmed, before, books)
  const key = paymentTransactionKey(before.owner_id, before.transaction_id)
  const kept = await store.get(key)
  const isOfPayment = kept?.['id'] === before.id
  await store.transact([
    ...changesOf(payments, before, after),
    ...(isOfPayment ? [{ update: key, to: { set: { completed: true } }, when: { id: is(before.id) } }] : []),
    logged(before.id),
  ])
}
