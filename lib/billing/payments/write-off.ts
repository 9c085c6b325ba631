import { defineAct } from '#lib/acts/act.ts'
import { type Input, textInput } from '#lib/acts/inputs.ts'
import { OWNERS } from '#lib/base/account-types.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { isZero } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { isOwnCustomer } from '#lib/base/scope.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { adjustments } from '../adjustment.ts'
import { withBookedAmount } from '../booking.ts'
import { newDocumentId } from '../document.ts'
import { invoices, type StoredInvoice } from '../invoice.ts'
import { openAmount, payInvoice } from '../invoice-payment.ts'
import { watchBalances } from '../notifications/watched-balances.ts'
import { invoicesNamed, onlyInvoice } from '../payment-of-invoice.ts'
import { amountOf } from './payment-input.ts'

/** An invoice that the actor has sold: by its number where names are typed, otherwise by its id. */
export const soldInvoice: Input<StoredInvoice> = {
  takes: 'number or id of an invoice',
  placeholder: 'INVOICE',
  says: 'the invoice',
  isOptional: false,
  read: async (text, name, context) => {
    const sold = (await invoicesNamed(context, text)).filter((one) =>
      isOwnCustomer(context.actor, { id: one.user_id, owner_id: one.owner_id }),
    )
    return onlyInvoice(context.store, sold, text, '', name)
  },
}

/** Closes the open amount of an invoice that will not be paid. The balance gets its net as an adjustment. */
export const writeOffInvoice = defineAct({
  summary: 'Write off what is open of an invoice, for a reason',
  callers: OWNERS,
  input: {
    invoice: soldInvoice,
    why: textInput('the reason, shown in the journal'),
  },
  run: async ({ store, settings, now, actor, lostRaces }, { invoice, why }) => {
    const { id, number, user_id, owner_id, currency, credited_by } = invoice
    if (credited_by !== '') throw new Refusal('invoice_credited', { number, by: credited_by }, 'invoice')
    if (isZero(openAmount(invoice))) throw new Refusal('invoice_paid', { number }, 'invoice')
    const { invoice: after, applied, applied_booked } = payInvoice(invoice, openAmount(invoice))
    const said = {
      ...{ id: newDocumentId(now.getTime(), lostRaces), user_id, owner_id, date: secondsOf(now) },
      ...{ amount: applied_booked, who: actor.username, why },
      ...{ written_off: id, gross: applied, gross_currency: currency, gross_rate: invoice.exchange_rate },
      kind: 'bad_debt' as const,
    }
    const row = withBookedAmount(said, undefined, { settings, rates: new Map() })
    const sum = amountOf({ amount: applied, currency }, settings)
    return {
      changes: [...changesOf(invoices, invoice, after), ...changesOf(adjustments, undefined, row)],
      answer: { number, gross: applied, net: applied_booked, adjustment: row.id },
      log: { action: `wrote off ${sum} of invoice ${number}: ${why}` },
      afterwards: () => watchBalances({ store, settings, now }, [user_id]),
    }
  },
})
