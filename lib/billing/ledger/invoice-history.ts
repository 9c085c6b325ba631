import { type Day, dayOf, periodOfDay } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { type Money, ZERO } from '#lib/base/money.ts'
import { padded } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { adjustments } from '../adjustment.ts'
import { creditNotes, isOfMonth, listPayersOf } from '../credit-note.ts'
import { newestDocuments } from '../document.ts'
import type { StoredInvoice } from '../invoice.ts'
import { closingsOf, grossOf } from '../invoice-payment.ts'
import { allocationsOf, type Payment } from '../payment.ts'
import { MOVEMENT_KINDS, type MovementKind } from './movement-kinds.ts'

/** An event of an invoice: an amount with VAT, in the currency of the invoice. */
interface InvoiceEvent {
  readonly kind: MovementKind
  readonly day: Day
  /** The number of the document or payment, and the id of a payment. */
  readonly number: string
  readonly id?: number
  readonly amount: Money
}

/** A customer has fewer credit notes and adjustments since an invoice. */
const MOST_DOCUMENTS = 200

/** Its issue, and all payments, credits and write-offs since; ascending by day. */
export async function historyOfInvoice(
  store: Store,
  invoice: StoredInvoice,
  zone: string,
): Promise<InvoiceEvent[]> {
  const { user_id, number, issue_date: day } = invoice
  const newest = { scope: { user: user_id }, count: MOST_DOCUMENTS }
  const [paying, notes, adjusted] = await Promise.all([
    listPayersOf(store, invoice),
    newestDocuments(store, creditNotes, { ...newest, from: day }),
    newestDocuments(store, adjustments, { ...newest, from: padded(periodOfDay(day, zone).from) }),
  ])
  const events: InvoiceEvent[] = [
    { kind: 'invoice', day, number, amount: grossOf(invoice) },
    ...closingsOf(invoice).map((closed) => ({ kind: 'from_balance' as const, number, ...closed })),
    ...paying.flatMap((payment) => partsOf(payment, invoice.id, zone)),
    ...notes
      .filter((one) => !isOfMonth(one) && one.invoices.split(/,\s*/).includes(number))
      .map((note) => ({
        ...{ kind: 'credit_note' as const, day: note.issue_date },
        ...{ number: note.number, id: note.id, amount: grossOf(note) },
      })),
    ...adjusted
      .filter(({ written_off }) => written_off === invoice.id)
      .map(({ id, date, gross = ZERO }) => ({
        ...{ kind: 'write_off' as const, day: dayOf(date, zone), number: String(id), amount: gross },
      })),
  ]
  const placeOf = (event: InvoiceEvent) => `${event.day}${MOVEMENT_KINDS.indexOf(event.kind)}`
  return events.sort((one, other) => ascending(placeOf(one), placeOf(other)))
}

/** The parts of a payment or credit note that pay the invoice. A part is not older than its payment. */
function partsOf(payment: Payment, invoiceId: number, zone: string): InvoiceEvent[] {
  const { id, transaction_id, date } = payment
  const paidOn = dayOf(date, zone)
  return allocationsOf(payment)
    .filter((part) => part.to === 'invoice' && part.id === invoiceId)
    .map(({ day, amount }) => ({
      ...{ kind: id < 0 ? 'credit_note' : 'payment', day: day > paidOn ? day : paidOn },
      ...{ number: transaction_id || String(id), id: Math.abs(id), amount },
    }))
}
