import { defineAct } from '#lib/acts/act.ts'
import { textInput } from '#lib/acts/inputs.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { today } from '#lib/base/calendar.ts'
import { subtract, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { findInvoices, invoices } from '../invoice.ts'
import { withoutParts } from '../invoice-payment.ts'
import { allocationsText } from '../ledger/allocation.ts'
import { entryAgainst } from '../new-payment.ts'
import { paymentEvent } from '../notifications/document-events.ts'
import { watchBalances } from '../notifications/watched-balances.ts'
import { allocationsOf, grossOfPayment, keptParts, payments, type StoredPayment } from '../payment.ts'
import { amountOf, bankRow, ownPayment, refuseBookedRow, refuseTakenBack } from './payment-input.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly never_completed: { readonly payment: number }
    readonly refunded: { readonly payment: number; readonly by: number }
  }
}

/** Takes back a payment by an entry of its own, which books the opposite: both stay. */
export const takeBackPayment = defineAct({
  summary: 'Take back a payment by a separate entry: its invoice is open again',
  callers: MANAGERS,
  input: {
    payment: ownPayment,
    why: textInput('the reason, which the customer reads'),
    bank_row: bankRow,
  },
  run: async (context, { payment: before, why, bank_row = '' }) => {
    const { store, settings, now } = context
    await refuseBookedRow(context, before.owner_id, bank_row === '' ? undefined : bank_row)
    refuseTakenBack(before)
    if (!before.completed) throw new Refusal('never_completed', { payment: before.id }, 'payment')
    const refund = allocationsOf(before).find(({ to }) => to === 'refund')
    if (refund) throw new Refusal('refunded', { payment: before.id, by: refund.id }, 'payment')
    // The opening balance includes a payment before Balance_From.
    const { net, booked = net, exchange_difference: difference } = before
    const entry = entryAgainst(context, before, grossOfPayment(before), {
      ...{ comments_for_user: why, bank_row, takes_back: before.id },
      net: booked && subtract(ZERO, booked),
      exchange_difference: difference && subtract(ZERO, difference),
    })
    const opened = await openedInvoices(store, before)
    const day = today(now, settings.Timezone)
    const parts = keptParts(before).map((one) => ({ ...one, released: one.released ?? day }))
    const allocations = allocationsText(parts)
    return {
      changes: [
        ...changesOf(payments, before, { ...before, taken_back_by: entry.id, allocations }),
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
  const parts = allocationsOf(payment)
  const found = await findInvoices(store, [...new Set(parts.map(({ id }) => id))])
  return found.flatMap((invoice) =>
    invoice ? changesOf(invoices, invoice, withoutParts(invoice, parts, payment.id)) : [],
  )
}
