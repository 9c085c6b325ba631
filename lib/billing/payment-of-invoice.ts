import { secondsOf } from '#lib/base/calendar.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { type Money, subtract, ZERO } from '#lib/base/money.ts'
import { RowRefused } from '#lib/base/row-refused.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { type Change, combined } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { type Books, withBookedAmount } from './booking.ts'
import { newDocumentId } from './document.ts'
import { findInvoices, findInvoicesOfAccount, invoices, type StoredInvoice } from './invoice.ts'
import { convertedTo, payInvoice, withoutPayment } from './invoice-payment.ts'
import { paymentEvent } from './notifications/document-events.ts'
import { watchBalances } from './notifications/watched-balances.ts'
import { ofNoInvoice, type Payment, payments, type StoredPayment } from './payment.ts'

/** An invoice of an account that a payment may name, or why it may not. */
export async function findPayableInvoice(
  store: Store,
  userId: number,
  number: string,
): Promise<StoredInvoice | string> {
  const found = await findInvoicesOfAccount(store, userId, number)
  const [invoice, ...others] = found
  if (!invoice) return `there is no invoice ${number} of this customer`
  if (others.length > 0) return `${found.length} invoices of this customer have the number ${number}`
  return invoice.credited_by === '' ? invoice : `${number} is credited by ${invoice.credited_by}`
}

/**
 * Makes a payment one of an invoice, if there is one. A completed one pays it; one that waits for its
 * confirmation only names it. The changes are those of the invoice: they fail if it has changed since it was
 * read. A payment in another currency is converted at the present rates.
 */
export function payingInvoice<P extends Payment>(
  payment: P,
  invoice: StoredInvoice | undefined,
  books: Books,
): { readonly payment: P; readonly changes: readonly Change[] } {
  if (!invoice) return { payment: withBookedAmount(payment, payment, books), changes: [] }
  const named = { ...payment, invoice_id: invoice.id }
  if (!payment.completed) return { payment: named, changes: [] }
  const rates = { from: rateIn(books, payment.currency), to: rateIn(books, invoice.currency) }
  const digits = minorDigits(invoice.currency)
  const invoice_amount = convertedTo(payment.amount_with_vat ?? payment.amount, rates, digits)
  const percent = vatOfPayments(books.settings, invoice)
  const { invoice: after, share } = payInvoice(invoice, invoice_amount, rates.to, percent)
  const paid = withBookedAmount({ ...named, ...share, invoice_amount }, payment, books)
  return { payment: paid, changes: after === invoice ? [] : changesOf(invoices, invoice, after) }
}

/** The VAT that ordinary payments of an account include, by an invoice of it. */
export const vatOfPayments = (
  { Payments_With_VAT }: Books['settings'],
  { vat_percent }: Pick<StoredInvoice, 'vat_percent'>,
): Money | undefined => (Payments_With_VAT ? vat_percent : undefined)

function rateIn({ rates }: Books, currency: string): Money {
  const rate = rates.get(currency)
  if (rate === undefined) throw new RowRefused(`currency: ${currency} has no exchange rate`)
  return rate
}

export interface TakenBack {
  readonly now: Date
  readonly why: string
  readonly books: Books
  readonly logged: (paymentId: number) => Change
}

/**
 * Takes back a payment by an entry of its own, which books the opposite: both stay, and the invoice is open
 * again. Returns `undefined` for a payment that was taken back meanwhile.
 */
export const takeBackPayment = (
  store: Store,
  paymentId: number,
  { now, why, books, logged }: TakenBack,
): Promise<Payment | undefined> =>
  retryingRaces(store, async (lostRaces) => {
    const before = await payments.find(store, paymentId)
    if (!before || before.taken_back_by !== undefined) return undefined
    const opposite = oppositeOf(before, { id: newDocumentId(now.getTime(), lostRaces + 1), now, why })
    const entry = withBookedAmount(opposite, undefined, books)
    await store.transact(
      combined([
        ...changesOf(payments, before, { ...before, taken_back_by: entry.id }),
        ...changesOf(payments, undefined, entry),
        ...(await changesWithoutPayment(store, before)),
        ...paymentEvent(books.settings, entry, { at: now, owner_id: before.owner_id }),
        logged(entry.id),
      ]),
    )
    await watchBalances({ store, settings: books.settings, now }, [before.user_id])
    return entry
  })

async function changesWithoutPayment(store: Store, payment: Payment): Promise<readonly Change[]> {
  const invoice = await findInvoiceOf(store, payment)
  const { applied = ZERO, applied_booked = ZERO } = payment
  const after = invoice && withoutPayment(invoice, { applied, applied_booked })
  return after && after !== invoice ? changesOf(invoices, invoice, after) : []
}

export const findInvoiceOf = async (
  store: Store,
  { invoice_id }: { readonly invoice_id: number | undefined },
): Promise<StoredInvoice | undefined> =>
  invoice_id === undefined ? undefined : (await findInvoices(store, [invoice_id]))[0]

function oppositeOf(
  before: StoredPayment,
  { id, now, why }: { readonly id: number; readonly now: Date; readonly why: string },
) {
  const { amount, amount_with_vat = amount, booked = ZERO } = before
  return {
    ...before,
    ...ofNoInvoice,
    id,
    transaction_id: '',
    date: secondsOf(now),
    confirm_date: secondsOf(now),
    amount: subtract(ZERO, amount),
    amount_with_vat: subtract(ZERO, amount_with_vat),
    fee: ZERO,
    comments_for_user: why,
    net: subtract(ZERO, booked),
    takes_back: before.id,
  }
}
