import { defineAct } from '#lib/acts/act.ts'
import { textInput } from '#lib/acts/inputs.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { today } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { openBooks } from '../booking.ts'
import { watchBalances } from '../notifications/watched-balances.ts'
import { payments } from '../payment.ts'
import { findPayableInvoice, payingInvoice } from '../payment-of-invoice.ts'
import { ownPayment, payerName, refuseTakenBack } from './payment-input.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly names_invoice: { readonly payment: number }
  }
}

/** Makes a payment that named no invoice one of this invoice. What it books changes with it. */
export const assignPayment = defineAct({
  summary: 'Let a payment pay an invoice that it did not name',
  callers: MANAGERS,
  input: {
    payment: ownPayment('the id of the payment'),
    invoice: textInput('the number of an invoice of the same customer'),
  },
  run: async ({ store, settings, now }, { payment, invoice: number }) => {
    if (payment.invoice_id !== undefined)
      throw new Refusal('names_invoice', { payment: payment.id }, 'payment')
    refuseTakenBack(payment)
    const username = await payerName({ store }, payment)
    const invoice = await findPayableInvoice(store, { id: payment.user_id, username }, number)
    const books = await openBooks(store, settings, [payment, invoice])
    const { payment: after, changes } = payingInvoice(payment, invoice, books, today(now, settings.Timezone))
    return {
      changes: [...changesOf(payments, payment, after), ...changes],
      answer: after,
      log: { action: `assigned payment ${payment.id} of ${username} to invoice ${invoice.number}` },
      afterwards: () => watchBalances({ store, settings, now }, [payment.user_id]),
    }
  },
})
