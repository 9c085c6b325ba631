import type { RunContext } from '#lib/acts/act.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { divide, type Money, multiply, ONE, subtract, ZERO } from '#lib/base/money.ts'
import { type Books, withBookedAmount, withExchangeRate, withoutVat } from './booking.ts'
import { newDocumentId } from './document.ts'
import { grossOfPayment, ofNoInvoice, type Payment, type StoredPayment } from './payment.ts'

export type SaidOfPayment = Pick<
  Payment,
  'user_id' | 'amount' | 'currency' | 'date' | 'type' | 'transaction_id' | 'comments_for_user' | 'completed'
> & {
  /** When it was found on the account of the owner, if that is not its date. */
  readonly confirm_date?: number
  /** The VAT that its amount includes and a balance leaves out. */
  readonly vat_percent?: Money | undefined
  readonly bank_row?: string
}

/** A new payment and what it adds to the balance. Accounts have no tax rate: both amounts are the same. */
export function newPayment(
  paymentId: number,
  { vat_percent, ...said }: SaidOfPayment,
  books: Books,
): Payment & { readonly amount_with_vat: Money } {
  const payment = {
    ...ofNoInvoice,
    ...said,
    vat_percent,
    id: paymentId,
    confirm_date: said.completed ? (said.confirm_date ?? said.date) : undefined,
    amount_with_vat: said.amount,
    fee: ZERO,
    pending_reason: said.completed ? '' : 'waiting for confirmation',
    net: vat_percent && withoutVat(said.amount, vat_percent, books.rates.get(said.currency) ?? ONE),
  }
  return withBookedAmount(withExchangeRate(payment, undefined, books), undefined, books)
}

/**
 * An entry of now that takes back or gives back an amount of a payment. The amount has the VAT of its payment
 * in it, as the payment has.
 */
export function entryAgainst(
  { settings, now, lostRaces }: RunContext,
  payment: StoredPayment,
  own: Money,
  columns: Partial<Payment>,
) {
  const gross = grossOfPayment(payment)
  const amount = gross === payment.amount ? own : divide(multiply(own, payment.amount), gross)
  const entry = {
    ...{ ...payment, ...ofNoInvoice, transaction_id: '', fee: ZERO },
    ...{ amount: subtract(ZERO, amount), amount_with_vat: subtract(ZERO, own) },
    ...{
      id: newDocumentId(now.getTime(), lostRaces + 1),
      date: secondsOf(now),
      confirm_date: secondsOf(now),
    },
    ...columns,
  }
  return withBookedAmount(entry, undefined, { settings, rates: new Map() })
}
