import { defineAct } from '#lib/acts/act.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { secondsOf, today } from '#lib/base/calendar.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { is } from '#lib/table/requests/changes.ts'
import { openBooks } from '../booking.ts'
import { paymentEvent } from '../notifications/document-events.ts'
import { payments, unassignedOf } from '../payment.ts'
import { paymentTransactionKey } from '../payment-booking.ts'
import { findInvoiceOf, payingInvoice } from '../payment-of-invoice.ts'
import { afterPayment, willAllocate } from './allocate-oldest.ts'
import { amountOf, ownPayment, payerName } from './payment-input.ts'

/**
 * Completes a payment that an operator found to be paid, and books it as of now. A repetition of the request
 * that created it is answered as confirmed from then on.
 */
export const confirmPayment = defineAct({
  summary: 'Complete a payment that waits for its confirmation, and book it',
  callers: MANAGERS,
  input: { payment: ownPayment },
  run: async ({ store, settings, now }, { payment: before }) => {
    if (before.completed) return { answer: before }
    const username = await payerName({ store }, before)
    const invoice = await findInvoiceOf(store, before)
    const books = await openBooks(store, settings, [before, ...(invoice ? [invoice] : [])])
    const confirmed = { ...before, completed: true, confirm_date: secondsOf(now), pending_reason: '' }
    const { payment: after, changes } = payingInvoice(
      confirmed,
      invoice,
      books,
      today(now, settings.Timezone),
    )
    const key = paymentTransactionKey(before.owner_id, before.transaction_id)
    const kept = await store.get(key)
    const isOfPayment = kept?.['id'] === before.id
    return {
      changes: [
        ...changesOf(payments, before, after),
        ...changes,
        ...willAllocate(settings, after, unassignedOf(after)),
        ...(isOfPayment
          ? [{ update: key, to: { set: { completed: true } }, when: { id: is(before.id) } }]
          : []),
        ...paymentEvent(settings, after, { at: now, owner_id: before.owner_id }),
      ],
      answer: after,
      log: { action: `confirmed payment ${before.id} of ${username}: ${amountOf(before, settings)}` },
      afterwards: () => afterPayment({ store, settings, now }, before.user_id),
    }
  },
})
