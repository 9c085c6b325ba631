import { type Done, defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { listInput } from '#lib/acts/inputs.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { today } from '#lib/base/calendar.ts'
import { isPositive, isZero, type Money, subtract, typedAmount, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { type Change, combined } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { type Books, openBooks } from '../booking.ts'
import { asPayment, changesOfPayer, isNote, unassignedOfNote } from '../credit-note.ts'
import { invoices, type StoredInvoice } from '../invoice.ts'
import { openAmount } from '../invoice-payment.ts'
import { allocate } from '../ledger/allocating.ts'
import { MOST_AT_ONCE } from '../ledger/allocation.ts'
import { watchBalances } from '../notifications/watched-balances.ts'
import { roomForParts, type StoredPayment, unassignedOf } from '../payment.ts'
import { findPayableInvoice } from '../payment-of-invoice.ts'
import { hasOneRate } from './allocate-oldest.ts'
import { issuedNote, ownPayment, payerName, payerText, refuseTakenBack } from './payment-input.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** `payer` is `payment 17` or `credit note C-2026-1`. */
    readonly nothing_unassigned: { readonly payer: string }
    readonly invoice_paid: { readonly number: string }
    readonly more_than_open: { readonly number: string; readonly amount: Money; readonly open: Money }
    readonly more_than_unassigned: {
      readonly payer: string
      readonly amount: Money
      readonly unassigned: Money
    }
    readonly too_many_invoices: { readonly payer: string; readonly most: number }
    /** Payments alone post a difference of rates. */
    readonly note_of_other_rate: { readonly note: string; readonly number: string }
  }
}

interface WantedPart {
  readonly number: string
  /** In the invoice's currency, with VAT; without it, as much as both have. */
  readonly amount: Money | undefined
}

/** `A-2026-3` or `A-2026-3=119.00`. */
function partIn(text: string): WantedPart | undefined {
  const [, number = text, typed] = /^(.+)=([^=]*)$/s.exec(text) ?? []
  const amount = typed === undefined ? undefined : typedAmount(typed.trim())
  const isFit = typed === undefined || (amount !== undefined && isPositive(amount))
  return isFit && number.trim() !== '' ? { number: number.trim(), amount } : undefined
}

const partsOfInvoices = listInput(
  'number of an invoice, with =amount for a part',
  'NUMBER[=AMOUNT]',
  partIn,
)('the numbers of invoices of the same customer, in their order; NUMBER=AMOUNT for a part')

/** Lets the unassigned part of a payment pay invoices. Its booking changes with it. */
export const assignPayment = defineAct({
  summary: 'Let the unassigned part of a payment pay invoices of its customer, whole or in part',
  callers: MANAGERS,
  input: {
    payment: ownPayment,
    invoices: partsOfInvoices,
  },
  run: async (context, { payment, invoices: wanted }) => {
    refuseTakenBack(payment)
    return assigned(context, payment, wanted)
  },
})

/** The same of a credit note that its own invoice does not need. It books nothing: its invoices are paid. */
export const assignCreditNote = defineAct({
  summary: 'Pay invoices of its customer with the unassigned amount of a credit note, whole or in part',
  callers: MANAGERS,
  input: { note: issuedNote, invoices: partsOfInvoices },
  run: async (context, { note, invoices: wanted }) => {
    const payer = asPayment(note)
    if (isZero(unassignedOfNote(note)))
      throw new Refusal('nothing_unassigned', { payer: payerText(payer) }, 'note')
    return assigned(context, payer, wanted)
  },
})

async function assigned(
  { store, settings, now }: ActContext,
  payment: StoredPayment,
  wanted: readonly WantedPart[],
): Promise<Done<StoredPayment>> {
  refuseUnassignable(payment, wanted)
  const username = await payerName({ store }, payment)
  const found = await findInvoicesToPay(store, payment, username, wanted)
  const books = await openBooks(store, settings, [payment, ...found])
  const day = today(now, settings.Timezone)
  let paid = payment.invoice_id === undefined ? { ...payment, invoice_id: found[0]?.id } : payment
  const changes: Change[] = []
  const said: string[] = []
  for (const [index, invoice] of found.entries()) {
    if (!payment.completed) break
    const most = wanted[index]?.amount
    refuseUnpayable(paid, invoice, most, books)
    const after = allocate(paid, invoice, books, { day, most, isPrepaid: isNote(payment) })
    if (most !== undefined && after.part?.amount !== most)
      throw new Refusal(
        'more_than_unassigned',
        { payer: payerText(payment), amount: most, unassigned: after.part?.amount ?? ZERO },
        'invoices',
      )
    paid = after.payment
    changes.push(...changesOf(invoices, invoice, after.invoice))
    said.push(`${invoice.number} (${after.part?.amount} ${invoice.currency || settings.Default_Currency})`)
  }
  const numbers = said.length > 0 ? said : found.map(({ number }) => number)
  return {
    changes: combined([...changesOfPayer(payment, paid), ...changes]),
    answer: paid,
    log: { action: `assigned ${payerText(payment)} of ${username} to ${numbers.join(', ')}` },
    afterwards: () => watchBalances({ store, settings, now }, [payment.user_id]),
  }
}

/** One that waits for its confirmation can only name an invoice. */
function refuseUnassignable(payment: StoredPayment, wanted: readonly WantedPart[]): void {
  const { completed, invoice_id } = payment
  const payer = payerText(payment)
  const most = completed ? Math.min(MOST_AT_ONCE, roomForParts(payment)) : 1
  if (completed ? isZero(unassignedOf(payment)) : invoice_id !== undefined)
    throw new Refusal('nothing_unassigned', { payer }, 'payment')
  if (wanted.length > most) throw new Refusal('too_many_invoices', { payer, most }, 'invoices')
}

async function findInvoicesToPay(
  store: Store,
  { user_id, owner_id }: StoredPayment,
  username: string,
  wanted: readonly WantedPart[],
): Promise<StoredInvoice[]> {
  const found: StoredInvoice[] = []
  for (const { number } of wanted) {
    const invoice = await findPayableInvoice(store, { id: user_id, username, owner_id }, number, 'invoices')
    if (found.some((one) => one.id === invoice.id)) throw new Refusal('invoice_paid', { number }, 'invoices')
    found.push(invoice)
  }
  return found
}

function refuseUnpayable(
  payment: StoredPayment,
  invoice: StoredInvoice,
  most: Money | undefined,
  books: Books,
): void {
  const { number } = invoice
  const open = openAmount(invoice)
  if (isZero(unassignedOf(payment)))
    throw new Refusal('nothing_unassigned', { payer: payerText(payment) }, 'invoices')
  if (isZero(open)) throw new Refusal('invoice_paid', { number }, 'invoices')
  if (most !== undefined && isPositive(subtract(most, open)))
    throw new Refusal('more_than_open', { number, amount: most, open }, 'invoices')
  if (isNote(payment) && !hasOneRate(payment, invoice, books))
    throw new Refusal('note_of_other_rate', { note: payment.note.number, number }, 'invoices')
}
