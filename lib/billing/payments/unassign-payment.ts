import { type Done, defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { optionalInput, textInput } from '#lib/acts/inputs.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { today } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { type Change, combined } from '#lib/table/requests/changes.ts'
import { openBooks } from '../booking.ts'
import { asPayment, changesOfPayer } from '../credit-note.ts'
import { findInvoices, invoices } from '../invoice.ts'
import { releasePayment } from '../ledger/allocating.ts'
import { watchBalances } from '../notifications/watched-balances.ts'
import { allocationsOf, type StoredPayment } from '../payment.ts'
import { issuedNote, ownPayment, payerName, payerText, refuseTakenBack } from './payment-input.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** Without a number: it pays no invoice at all. */
    readonly pays_no_invoice: { readonly payer: string; readonly number: string }
  }
}

const onlyInvoice = optionalInput(
  textInput('the number of the only invoice (default: all invoices that it pays)'),
)

/** Releases a payment from invoices without taking it back: they are open again. */
export const unassignPayment = defineAct({
  summary:
    'Release a payment from the invoices that it pays, or from one of them: that amount becomes unassigned',
  callers: MANAGERS,
  input: {
    payment: ownPayment,
    invoice: onlyInvoice,
  },
  run: async (context, { payment, invoice }) => {
    refuseTakenBack(payment)
    return released(context, payment, invoice)
  },
})

export const unassignCreditNote = defineAct({
  summary:
    'Release a credit note from the invoices that it pays, or from one of them: that amount becomes unassigned',
  callers: MANAGERS,
  input: { note: issuedNote, invoice: onlyInvoice },
  run: async (context, { note, invoice }) => released(context, asPayment(note), invoice),
})

async function released(
  { store, settings, now }: ActContext,
  payment: StoredPayment,
  number: string | undefined,
): Promise<Done<StoredPayment>> {
  const username = await payerName({ store }, payment)
  const ids = allocationsOf(payment).flatMap(({ to, id }) => (to === 'invoice' ? [id] : []))
  const named = payment.invoice_id === undefined ? [] : [payment.invoice_id]
  const stored = await findInvoices(store, [...new Set([...ids, ...named])])
  const found = stored
    .filter((invoice) => invoice !== undefined)
    .filter((one) => number === undefined || one.number.toLowerCase() === number.toLowerCase())
  if (found.length === 0)
    throw new Refusal('pays_no_invoice', { payer: payerText(payment), number: number ?? '' }, 'invoice')
  const books = await openBooks(store, settings, [payment, ...found])
  let after = payment
  const changes: Change[] = []
  for (const invoice of found) {
    const without = releasePayment(after, invoice, books, today(now, settings.Timezone))
    after = without.payment
    if (ids.includes(invoice.id)) changes.push(...changesOf(invoices, invoice, without.invoice))
  }
  const isNamed = found.every(({ id }) => id !== payment.invoice_id)
  const unnamed = isNamed ? after : { ...after, invoice_id: undefined }
  const numbers = found.map((one) => one.number).join(', ')
  return {
    changes: combined([...changesOfPayer(payment, unnamed), ...changes]),
    answer: unnamed,
    log: { action: `released ${payerText(payment)} of ${username} from ${numbers}` },
    afterwards: () => watchBalances({ store, settings, now }, [payment.user_id]),
  }
}
