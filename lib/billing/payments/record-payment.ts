import { valueAt } from '#lib/accounts/account-history.ts'
import { defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { accountInput, dayInput, optionalInput, positiveAmountInput, textInput } from '#lib/acts/inputs.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { DAY_SECONDS, type Day, periodOfDay, secondsOf, today } from '#lib/base/calendar.ts'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { isZero, round, subtract } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { openBooks } from '../booking.ts'
import { newDocumentId } from '../document.ts'
import { newPayment } from '../new-payment.ts'
import { paymentEvent } from '../notifications/document-events.ts'
import { listPayments, type Payment, unassignedOf } from '../payment.ts'
import { bookingOf } from '../payment-booking.ts'
import { findPayableInvoice, payingInvoice } from '../payment-of-invoice.ts'
import { afterPayment, willAllocate } from './allocate-oldest.ts'
import { amountOf, bankRow, refuseBookedRow, refuseOthersCustomer } from './payment-input.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly day_in_future: { readonly day: string }
    readonly beyond_minor_unit: {
      readonly amount: string
      readonly currency: string
      readonly digits: number
    }
  }
}

/** Records a completed payment. It counts in the balance as of now, also if it was paid on an earlier day. */
export const recordPayment = defineAct({
  summary: 'Record a completed payment of a customer',
  callers: MANAGERS,
  input: {
    customer: accountInput('the customer who paid'),
    amount: positiveAmountInput('the amount'),
    currency: optionalInput(
      textInput('the currency of the amount (default: that of the invoice, or the installation)'),
    ),
    invoice: optionalInput(textInput('the number of the invoice that it pays: its net is booked')),
    date: optionalInput(dayInput('the day on which it was paid (default: today)')),
    type: optionalInput(textInput('how it was paid, such as bank (default: cash)')),
    reference: optionalInput(textInput('the transaction of the payer or the bank')),
    comment: optionalInput(textInput('a comment that the customer reads')),
    bank_row: bankRow,
  },
  run: async (context, values) => {
    const { store, settings, now, lostRaces } = context
    const { customer, amount, type = 'cash', reference = '', comment = '', bank_row = '' } = values
    refuseOthersCustomer(context, customer, 'customer')
    await refuseBookedRow(context, customer.owner_id, values.bank_row)
    const invoice =
      values.invoice === undefined ? undefined : await findPayableInvoice(store, customer, values.invoice)
    const currency = currencyOf(values.currency, invoice, settings)
    const books = await openBooks(store, settings, [{ currency }, ...(invoice ? [invoice] : [])])
    if (!books.rates.has(currency)) throw new Refusal('unknown_currency', { currency }, 'currency')
    refuseBeyondMinorUnit(amount, currency === '' ? settings.Default_Currency : currency)
    const dates = datesOf(context, values.date)
    const said = {
      user_id: customer.id,
      amount,
      currency,
      ...dates,
      type,
      transaction_id: reference,
      comments_for_user: comment,
      completed: true,
      bank_row,
      vat_percent: settings.Payments_With_VAT ? valueAt(customer, 'vat_percent', dates.date) : undefined,
    }
    const unnamed = newPayment(newDocumentId(now.getTime(), lostRaces), said, books)
    const { payment, changes } = payingInvoice(unnamed, invoice, books, today(now, settings.Timezone))
    const { owner_id } = customer
    const forInvoice = invoice ? `, for ${invoice.number}` : ''
    return {
      changes: [
        ...bookingOf(payment, { owner_id, transaction_id: '' }),
        ...changes,
        ...willAllocate(settings, payment, unassignedOf(payment)),
        ...paymentEvent(settings, payment, { at: now, owner_id }),
      ],
      answer: payment,
      log: {
        action: `recorded payment ${payment.id} of ${customer.username}: ${amountOf(payment, settings)}${forInvoice}`,
      },
      ...(invoice &&
        !isZero(unassignedOf(payment)) && { remarks: [unassignedRemark(payment, invoice, settings)] }),
      afterwards: () => afterPayment({ store, settings, now }, customer.id),
    }
  },
  repeats: findEqual,
})

/** The default currency is blank unless the invoice names it, so that none is converted into itself. */
function currencyOf(
  given: string | undefined,
  invoice: { readonly currency: string } | undefined,
  { Default_Currency }: ActContext['settings'],
): string {
  const isOfInvoice = given === undefined || given === (invoice?.currency || Default_Currency)
  if (isOfInvoice) return invoice?.currency ?? ''
  return given === Default_Currency ? '' : given
}

/** An invoice takes what is open of it. */
const unassignedRemark = (
  payment: Payment,
  { number }: { readonly number: string },
  settings: ActContext['settings'],
): string =>
  `${amountOf({ amount: unassignedOf(payment), currency: payment.currency }, settings)} of it is unassigned: that was not open of ${number}`

/** 10.505 EUR cannot be paid: it is a typing error, or an amount of another currency. */
function refuseBeyondMinorUnit(amount: string, currency: string): void {
  const digits = minorDigits(currency)
  if (!isZero(subtract(amount, round(amount, digits))))
    throw new Refusal('beyond_minor_unit', { amount, currency, digits }, 'amount')
}

function datesOf({ now, settings: { Timezone } }: ActContext, paidOn: Day | undefined) {
  const present = today(now, Timezone)
  if (paidOn === undefined || paidOn === present) return { date: secondsOf(now) }
  if (paidOn > present) throw new Refusal('day_in_future', { day: paidOn }, 'date')
  return { date: periodOfDay(paidOn, Timezone).from, confirm_date: secondsOf(now) }
}

/** Repetitions are looked for if a payment was recorded within these seconds of being paid. */
const RECORDED_WITHIN_SECONDS = 60 * DAY_SECONDS

/** A payment of the same amount that was paid, or recorded, within a day. */
async function findEqual(
  { store, settings, now }: ActContext,
  { user_id, amount, currency, date }: Payment,
): Promise<string | undefined> {
  const sum = amountOf({ amount, currency }, settings)
  const isEqual = (one: Payment) =>
    amountOf(one, settings) === sum &&
    one.taken_back_by === undefined &&
    (Math.abs(date - one.date) < DAY_SECONDS || secondsOf(now) - (one.confirm_date ?? one.date) < DAY_SECONDS)
  const period = { from: date - RECORDED_WITHIN_SECONDS, till: secondsOf(now) }
  for await (const page of listPayments(store, { user: user_id }, period)) {
    const equal = page.find(isEqual)
    if (equal) return `Payment ${equal.id} of ${sum}`
  }
  return undefined
}
