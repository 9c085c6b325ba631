import { type Money, ONE, ZERO } from '#lib/base/money.ts'
import { type Books, withBookedAmount, withExchangeRate, withoutVat } from './booking.ts'
import { ofNoInvoice, type Payment } from './payment.ts'

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
