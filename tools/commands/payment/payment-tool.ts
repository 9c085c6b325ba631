import { findAccount } from '#lib/accounts/account.ts'
import { valueAt } from '#lib/accounts/account-history.ts'
import { displayName } from '#lib/base/account-types.ts'
import { addDays, DAY_SECONDS, type Day, periodOfDay, secondsOf, today } from '#lib/base/calendar.ts'
import { isPositive, type Money } from '#lib/base/money.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { type Books, openBooks } from '#lib/billing/booking.ts'
import type { StoredInvoice } from '#lib/billing/invoice.ts'
import type { SaidOfPayment } from '#lib/billing/new-payment.ts'
import { paymentEvent } from '#lib/billing/notifications/document-events.ts'
import { watchBalances } from '#lib/billing/notifications/watched-balances.ts'
import { listPayments, type Payment, payments, type StoredPayment } from '#lib/billing/payment.ts'
import { paymentTransactionKey, type RecordedPayment, recordPayment } from '#lib/billing/payment-booking.ts'
import {
  findInvoiceOf,
  findPayableInvoice,
  payingInvoice,
  takeBackPayment,
} from '#lib/billing/payment-of-invoice.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { findAccountNamed, findWholeAccountNamed, withCustomers } from '../../command-line/named.ts'
import { type Act, openLog, refuseRace } from '../../command-line/over-table.ts'
import { refuseRepeated } from '../../command-line/repeated.ts'
import { CommandError } from '../../machine/terminal.ts'

interface PaymentOptions {
  readonly account: string
  readonly amount: Money
  /** Blank: that of the invoice, otherwise the default one. */
  readonly currency: string
  readonly type: string
  readonly reference: string
  readonly comment: string
  readonly invoice?: string | undefined
  readonly date?: Day | undefined
  /** Records it although an equal one was recorded within a day. */
  readonly again?: boolean | undefined
}

/** Records a completed payment of an account, as of now. It may have been paid on an earlier day. */
export async function addPayment(store: Store, wanted: PaymentOptions, act: Act): Promise<string[]> {
  const settings = await settingsOf(store)
  const account = await findWholeAccountNamed(store, wanted.account)
  const invoice = await invoiceToPay(store, account, wanted.invoice)
  const currency = wanted.currency || (invoice?.currency ?? '')
  const books = await openBooks(store, settings, [{ currency }, ...(invoice ? [invoice] : [])])
  refuseAmount(wanted, currency, books)
  const log = await openLog(store, act)
  const dates = datesOf(wanted.date, act.now, settings.Timezone)
  const said = {
    user_id: account.id,
    amount: wanted.amount,
    currency,
    ...dates,
    type: wanted.type,
    transaction_id: wanted.reference,
    comments_for_user: wanted.comment,
    completed: true,
    vat_percent: settings.Payments_With_VAT ? valueAt(account, 'vat_percent', dates.date) : undefined,
  }
  if (!wanted.again) await refuseEqual(store, said, { now: act.now, settings })
  const words = `of ${account.username}: ${wanted.amount} ${currency || settings.Default_Currency}${invoice ? `, for ${invoice.number}` : ''}`
  const logged = (paymentId: number) => log(`recorded payment ${paymentId} ${words}`)
  const recorded = { now: act.now, said, books, logged, invoiceId: invoice?.id }
  const payment = await recordPayment(store, account, recorded)
  return [`Payment ${payment.id} ${words}`]
}

function refuseAmount({ amount }: PaymentOptions, currency: string, { rates }: Books): void {
  if (!isPositive(amount)) throw new CommandError(`The amount is ${amount}: a payment is above 0`)
  if (!rates.has(currency))
    throw new CommandError(`There is no currency ${currency}: import currencies.csv with its rate`)
}

/** A payment counts in the balance from the moment when it is recorded, whenever it was paid. */
function datesOf(day: Day | undefined, now: Date, zone: string) {
  if (day === undefined || day === today(now, zone)) return { date: secondsOf(now) }
  if (day > today(now, zone))
    throw new CommandError(`${day} is in the future: a payment is recorded when it was paid`)
  return { date: periodOfDay(day, zone).from, confirm_date: secondsOf(now) }
}

async function invoiceToPay(
  store: Store,
  { id, username }: { readonly id: number; readonly username: string },
  number: string | undefined,
): Promise<StoredInvoice | undefined> {
  if (number === undefined) return undefined
  const invoice = await findPayableInvoice(store, id, number)
  if (typeof invoice !== 'string') return invoice
  throw new CommandError(`${username}: ${invoice}: npx tollgate invoices list --customer ${username}`)
}

/** Repetitions are looked for if a payment was recorded within these seconds of being paid. */
const RECORDED_WITHIN_SECONDS = 60 * DAY_SECONDS

/** A second payment of the same amount within a day is rarely meant. */
async function refuseEqual(store: Store, said: SaidOfPayment, { now, settings }: Circumstances) {
  const period = { from: said.date - RECORDED_WITHIN_SECONDS, till: secondsOf(now) }
  const nameOf = ({ currency }: Pick<Payment, 'currency'>) => currency || settings.Default_Currency
  const isRepeated = (one: Payment) =>
    one.amount === said.amount &&
    nameOf(one) === nameOf(said) &&
    one.taken_back_by === undefined &&
    (Math.abs(said.date - one.date) < DAY_SECONDS ||
      secondsOf(now) - (one.confirm_date ?? one.date) < DAY_SECONDS)
  await refuseRepeated(
    listPayments(store, { user: said.user_id }, period),
    isRepeated,
    (equal) => `Payment ${equal.id} of ${equal.amount} ${nameOf(equal)}`,
  )
}

interface Circumstances {
  readonly now: Date
  readonly settings: Settings
}

/** Makes a payment that named no invoice one of this invoice. What it books changes with it. */
export async function assignPayment(
  store: Store,
  { id, number }: { readonly id: number; readonly number: string },
  act: Act,
): Promise<string[]> {
  const payment = await paymentNamed(store, id)
  if (payment.invoice_id !== undefined)
    throw new CommandError(`Payment ${id} names an invoice already: take it back, and record it again`)
  refuseTakenBack(payment)
  const username = (await findAccount(store, payment.user_id))?.username ?? `account ${payment.user_id}`
  const invoice = await findPayableInvoice(store, payment.user_id, number)
  if (typeof invoice === 'string') throw new CommandError(`${username}: ${invoice}`)
  const books = await openBooks(store, await settingsOf(store), [payment, invoice])
  const { payment: after, changes } = payingInvoice(payment, invoice, books)
  const words = `payment ${id} of ${username} to invoice ${invoice.number}`
  const logged = (await openLog(store, act))(`assigned ${words}`)
  await store
    .transact([...changesOf(payments, payment, after), ...changes, logged])
    .catch(refuseRace('this payment or its invoice'))
  await watchBalances({ store, settings: books.settings, now: act.now }, [payment.user_id])
  return [`Assigned ${words}`]
}

/** Takes back a payment by an entry that says why. */
export async function takePaymentBack(
  store: Store,
  { id, why }: { readonly id: number; readonly why: string },
  act: Act,
): Promise<string[]> {
  if (why.trim() === '') throw new CommandError('The reason is blank: pass --why with words')
  const payment = await paymentNamed(store, id)
  refuseTakenBack(payment)
  if (!payment.completed) throw new CommandError(`Payment ${id} was never completed: it books nothing`)
  const log = await openLog(store, act)
  const logged = (entry: number) => log(`took back payment ${id} by payment ${entry}: ${why.trim()}`)
  const settings = await settingsOf(store)
  const books = { settings, rates: new Map() }
  const entry = await takeBackPayment(store, id, { now: act.now, why: why.trim(), books, logged })
  if (!entry) throw new CommandError(`Payment ${id} was taken back meanwhile`)
  const currency = entry.currency || settings.Default_Currency
  return [`Payment ${entry.id} of ${entry.amount} ${currency} takes back payment ${id}`]
}

function refuseTakenBack({ id, takes_back, taken_back_by }: Payment): void {
  if (taken_back_by !== undefined)
    throw new CommandError(`Payment ${id} was taken back by payment ${taken_back_by}`)
  if (takes_back !== undefined) throw new CommandError(`Payment ${id} takes back payment ${takes_back}`)
}

async function paymentNamed(store: Store, id: number): Promise<StoredPayment> {
  const payment = await payments.find(store, id)
  if (payment) return payment
  throw new CommandError(`There is no payment ${id}: npx tollgate payment list shows them`)
}

export async function completePayment(store: Store, paymentId: number, act: Act): Promise<string[]> {
  const payment = await paymentNamed(store, paymentId)
  if (payment.completed) return [`Payment ${paymentId} is already completed`]
  const settings = await settingsOf(store)
  const account = await findAccount(store, payment.user_id)
  const { amount, currency } = payment
  const words = `of ${account?.username}: ${amount} ${currency || settings.Default_Currency}`
  const log = await openLog(store, act)
  const logged = () => log(`confirmed payment ${paymentId} ${words}`)
  const invoice = await findInvoiceOf(store, payment)
  const books = await openBooks(store, settings, [payment, ...(invoice ? [invoice] : [])])
  await confirmPayment(store, payment, { now: act.now, books, logged }, invoice).catch(
    refuseRace('this payment'),
  )
  return [`Payment ${paymentId} ${words} is completed`]
}

/**
 * Completes a payment that an operator found to be paid, and books it as of now. A repetition of its request
 * is confirmed from then on. Throws ConditionFailed if the payment has changed since it was read.
 */
export async function confirmPayment(
  store: Store,
  before: StoredPayment,
  { now, books, logged }: Pick<RecordedPayment, 'now' | 'books' | 'logged'>,
  invoice: StoredInvoice | undefined,
): Promise<void> {
  const confirmed = { ...before, completed: true, confirm_date: secondsOf(now), pending_reason: '' }
  const { payment: after, changes } = payingInvoice(confirmed, invoice, books)
  const key = paymentTransactionKey(before.owner_id, before.transaction_id)
  const kept = await store.get(key)
  const isOfPayment = kept?.['id'] === before.id
  await store.transact([
    ...changesOf(payments, before, after),
    ...changes,
    ...(isOfPayment ? [{ update: key, to: { set: { completed: true } }, when: { id: is(before.id) } }] : []),
    logged(before.id),
    ...paymentEvent(books.settings, after, { at: now, owner_id: before.owner_id }),
  ])
  await watchBalances({ store, settings: books.settings, now }, [before.user_id])
}

interface WantedPayments {
  readonly account: string | undefined
  readonly from?: Day | undefined
  readonly till?: Day | undefined
}

const DAYS_BY_DEFAULT = 31

/** The payments of an account, or of all customers of the operator, by their date. */
export async function listPaymentRows(store: Store, wanted: WantedPayments, now: Date): Promise<Listing> {
  const { Timezone: zone, Default_Currency } = await settingsOf(store)
  const till = wanted.till ?? today(now, zone)
  const from = wanted.from ?? addDays(till, -DAYS_BY_DEFAULT)
  const account = wanted.account === undefined ? undefined : await findAccountNamed(store, wanted.account)
  const scope = account ? { user: account.id } : { owner: ADMIN_ACCOUNT }
  const period = { from: periodOfDay(from, zone).from, till: periodOfDay(till, zone).till }
  return listingOf(store, 'payment', withCustomers(store, listPayments(store, scope, period), displayName), {
    id: 'number',
    date: 'time',
    account: ['text', ({ customer }) => customer],
    amount: 'number',
    currency: ['text', ({ currency }) => currency || Default_Currency],
    type: 'text',
    reference: ['text', ({ transaction_id }) => transaction_id],
    completed: 'text',
  })
}
