import { valueAt } from '#lib/accounts/account-history.ts'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { defineAct } from '#lib/acts/act.ts'
import { optionalInput, positiveAmountInput, textInput } from '#lib/acts/inputs.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { secondsOf, today } from '#lib/base/calendar.ts'
import { divide, isPositive, isZero, type Money, multiply, subtract, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { openBooks, withBookedAmount } from '../booking.ts'
import { newDocumentId } from '../document.ts'
import { unassignedBooked, withParts } from '../ledger/allocating.ts'
import { paymentEvent } from '../notifications/document-events.ts'
import { watchBalances } from '../notifications/watched-balances.ts'
import {
  allocationsOf,
  grossOfPayment,
  ofNoInvoice,
  payments,
  type StoredPayment,
  unassignedOf,
} from '../payment.ts'
import { amountOf, ownPayment, payerName, refuseTakenBack } from './payment-input.ts'

/** Gives back what no invoice has of a payment, by an entry of its own. Taking back is for mistakes. */
export const refundPayment = defineAct({
  summary: 'Refund what no invoice has of a payment, or a part of it, by an entry of its own',
  callers: MANAGERS,
  input: {
    payment: ownPayment('the id of the payment'),
    amount: optionalInput(
      positiveAmountInput('the amount, in the currency of the payment (default: all that no invoice has)'),
    ),
    why: optionalInput(textInput('the reason, which the customer reads')),
  },
  run: async ({ store, settings, now, lostRaces }, { payment, amount, why = '' }) => {
    refuseTakenBack(payment)
    const { id, user_id, owner_id, currency } = payment
    const username = await payerName({ store }, payment)
    const unassigned = unassignedOf(payment)
    const own = amount ?? unassigned
    if (isZero(unassigned)) throw new Refusal('nothing_unassigned', { payment: id }, 'payment')
    if (isPositive(subtract(own, unassigned)))
      throw new Refusal('more_than_unassigned', { payment: id, amount: own, unassigned }, 'amount')
    const books = await openBooks(store, settings, [payment])
    const account = await findWholeAccount(store, user_id)
    const ofCustomer = account && valueAt(account, 'vat_percent', payment.date)
    const percent = payment.vat_percent ?? (settings.Payments_With_VAT ? ofCustomer : undefined)
    const booked = subtract(
      unassignedBooked(payment, unassigned, percent, books),
      unassignedBooked(payment, subtract(unassigned, own), percent, books),
    )
    const entry = withBookedAmount(
      {
        ...refundOf(payment, own),
        ...{ id: newDocumentId(now.getTime(), lostRaces + 1), comments_for_user: why },
        ...{ date: secondsOf(now), confirm_date: secondsOf(now), net: subtract(ZERO, booked) },
      },
      undefined,
      { settings, rates: new Map() },
    )
    const day = today(now, settings.Timezone)
    const part = { to: 'refund', id: entry.id, own, amount: own, currency, booked, day } as const
    const after = withParts(payment, [...allocationsOf(payment), part], percent, books)
    return {
      changes: [
        ...changesOf(payments, payment, after),
        ...changesOf(payments, undefined, entry),
        ...paymentEvent(settings, entry, { at: now, owner_id }),
      ],
      answer: entry,
      log: {
        action: `refunded ${amountOf({ amount: own, currency }, settings)} of payment ${id} of ${username} by payment ${entry.id}`,
      },
      afterwards: () => watchBalances({ store, settings, now }, [user_id]),
    }
  },
})

/** The amount of a refund has the VAT of its payment in it, as the payment has. */
function refundOf(payment: StoredPayment, own: Money) {
  const gross = grossOfPayment(payment)
  const amount = gross === payment.amount ? own : divide(multiply(own, payment.amount), gross)
  return {
    ...payment,
    ...ofNoInvoice,
    transaction_id: '',
    amount: subtract(ZERO, amount),
    amount_with_vat: subtract(ZERO, own),
    fee: ZERO,
    refunds: payment.id,
  }
}
