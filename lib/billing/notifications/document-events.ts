import { outboxOf } from '#lib/alerts/event.ts'
import type { EventType } from '#lib/alerts/event-types.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { type Money, multiply, ONE, round } from '#lib/base/money.ts'
import type { Subscribed } from '#lib/settings/settings.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import { type Payment, unassignedOf } from '../payment.ts'

/** The settings with the subscribers, and the currency of a blank one. */
interface NotificationSettings {
  readonly subscribed: Subscribed
  readonly Default_Currency: string
}

interface EventOrigin {
  readonly at: Date
  readonly owner_id: number
}

/** The event of a payment, for the transaction that changes it; none without subscribers. */
export function paymentEvent(
  settings: NotificationSettings,
  payment: Payment,
  { at, owner_id }: EventOrigin,
): Change[] {
  const { id, user_id, amount, amount_with_vat: gross = amount, completed, type } = payment
  const { invoice_id, takes_back } = payment
  const currency = payment.currency || settings.Default_Currency
  const data = {
    payment: id,
    account: user_id,
    owner: owner_id,
    amount,
    amount_with_vat: gross,
    net: netOf(payment, currency),
    gross,
    unassigned: unassignedOf(payment),
    currency,
    payment_type: type,
    completed,
    invoice: invoice_id,
    takes_back,
  }
  const subject = `${id} ${completed ? 'completed' : 'pending'}`
  return outboxOf(settings, { type: 'payment.recorded', owner: owner_id, at, subject, data })
}

/** The booking of a payment, in its own currency; the amount where balances leave out no VAT. */
const netOf = ({ net, amount, exchange_rate = ONE }: Payment, currency: string): Money =>
  net === undefined ? amount : round(multiply(net, exchange_rate), minorDigits(currency))

/** An invoice or a credit note. The amounts of a credit note are positive. */
export interface DocumentEvent {
  readonly is: 'invoice' | 'credit_note'
  readonly id: number
  readonly number: string
  readonly user_id: number
  readonly month: string
  readonly net: string
  readonly vat: string
  readonly gross: string
  /** The open amount of an invoice. */
  readonly open?: string | undefined
  readonly currency: string
  readonly due_date?: string | undefined
}

const ISSUED: Readonly<Record<DocumentEvent['is'], EventType>> = {
  invoice: 'invoice.issued',
  credit_note: 'credit_note.issued',
}

export function documentEvent(
  settings: NotificationSettings,
  { is, id, number, user_id, month, net, vat, gross, open, currency, due_date }: DocumentEvent,
  { at, owner_id }: EventOrigin,
): Change[] {
  const data = {
    [is]: id,
    number,
    account: user_id,
    owner: owner_id,
    month,
    net,
    vat,
    gross,
    open,
    currency: currency || settings.Default_Currency,
    due_date,
  }
  return outboxOf(settings, { type: ISSUED[is], owner: owner_id, at, subject: String(id), data })
}
