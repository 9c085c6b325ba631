import { defineAct } from '#lib/acts/act.ts'
import { textInput } from '#lib/acts/inputs.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { subtract, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { withBookedAmount } from '../booking.ts'
import { newDocumentId } from '../document.ts'
import { findInvoices, invoices } from '../invoice.ts'
import { withoutPayment } from '../invoice-payment.ts'
import { paymentEvent } from '../notifications/document-events.ts'
import { watchBalances } from '../notifications/watched-balances.ts'
import { allocationsOf, ofNoInvoice, payments, type StoredPayment } from '../payment.ts'
import { amountOf, bankRow, ownPayment, refuseBookedRow, refuseTakenBack } from './payment-input.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly never_completed: { readonly payment: number }
    readonly refunded: { readonly payment: number; readonly by: number }
  }
}

/** Takes back a payment by an entry of its own, which books the opposite: both stay. */
export const takeBackPayment = defineAct({
  summary: 'Take back a payment by an entry of its own: its invoice is open again',
  callers: MANAGERS,
  input: {
    payment: ownPayment('the id of the payment'),
    why: textInput('the reason, which the customer reads'),
    bank_row: bankRow,
  },
  run: async (context, { payment: before, why, bank_row = '' }) => {
    const { store, settings, now, lostRaces } = context
    await refuseBookedRow(context, before.owner_id, bank_row === '' ? undefined : bank_row)
    refuseTakenBack(before)
    if (!before.completed) throw new Refusal('never_completed', { payment: before.id }, 'payment')
    const refund = allocationsOf(before).find(({ to }) => to === 'refund')
    if (refund) throw new Refusal('refunded', { payment: before.id, by: refund.id }, 'payment')
    const opposite = {
      ...oppositeOf(before, why),
      bank_row,
      id: newDocumentId(now.getTime(), lostRaces + 1),
      date: secondsOf(now),
      confirm_date: secondsOf(now),
    }
    const entry = withBookedAmount(opposite, undefined, { settings, rates: new Map() })
    const opened = await openedInvoices(store, before)
    return {
      changes: [
        ...changesOf(payments, before, { ...before, taken_back_by: entry.id }),
        ...changesOf(payments, undefined, entry),
        ...opened,
        ...paymentEvent(settings, entry, { at: now, owner_id: before.owner_id }),
      ],
      answer: entry,
      log: {
        action: `took back payment ${before.id} by payment ${entry.id} of ${amountOf(entry, settings)}: ${why}`,
      },
      afterwards: () => watchBalances({ store, settings, now }, [before.user_id]),
    }
  },
})

/** The invoices that it paid are open again. */
async function openedInvoices(store: Store, payment: StoredPayment): Promise<Change[]> {
  const parts = allocationsOf(payment).filter(({ to }) => to === 'invoice')
  const found = await findInvoices(store, [...new Set(parts.map(({ id }) => id))])
  return found.flatMap((invoice) => {
    const paid = parts.filter(({ id }) => id === invoice?.id)
    const after = paid.reduce(
      (one, { amount, booked }) =>
        one && withoutPayment(one, { applied: amount, applied_booked: booked }, payment.id),
      invoice,
    )
    return invoice ? changesOf(invoices, invoice, after) : []
  })
}

function oppositeOf(before: StoredPayment, why: string) {
  const { amount, amount_with_vat = amount, booked = ZERO, exchange_difference: difference } = before
  return {
    ...before,
    ...ofNoInvoice,
    transaction_id: '',
    amount: subtract(ZERO, amount),
    amount_with_vat: subtract(ZERO, amount_with_vat),
    fee: ZERO,
    comments_for_user: why,
    net: subtract(ZERO, booked),
    takes_back: before.id,
    exchange_difference: difference && subtract(ZERO, difference),
  }
}
