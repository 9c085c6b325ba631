import { type Money, ZERO } from '#lib/base/money.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { addedLater, date, id, money, optional, type Row, text } from '#lib/table/columns.ts'
import type { Stored } from '#lib/table/entity.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { bookedInLedger, type LedgerEntry } from './balance-item.ts'
import {
  defineDocuments,
  documentPages,
  documentRate,
  type OwnedDocument,
  type PlaceRange,
} from './document.ts'
import { issuedColumns, revenueColumn } from './invoice.ts'
import { notesPaying, payerOfNote } from './invoice-payment.ts'
import { productColumns, productList } from './invoice-product.ts'
import { postedCreditNote } from './journal/document-posting.ts'
import { postedAs } from './journal/posting.ts'
import {
  allocationsColumn,
  allocationsIn,
  allPartsIn,
  entriesOfReduction,
  unallocated,
} from './ledger/allocation.ts'
import { listPaymentsOfInvoice, ofNoInvoice, payments, type StoredPayment } from './payment.ts'

const firstColumns = {
  id,
  user_id: id,
  issue_date: date,
  number: text(),
  comment: text(),
  price: money(),
  /** Blank: the price. */
  price_with_vat: optional(money()),
  /** Blank: the default currency. */
  currency: text(),
  /** Only a paid credit note has one. */
  pay_date: optional(date),
}

const laterColumns = {
  /** Units of the currency for one unit of the default currency. Blank: 1. */
  exchange_rate: documentRate,
  vat_percent: addedLater(optional(money()), undefined),
  /** The numbers of the invoices that it corrects, with commas between them. */
  invoices: addedLater(text(), ''),
}

/** The day on which the journal posts it; blank for one that was stored before entries were. */
const posted_on = addedLater(optional(date), undefined)

export const creditNoteColumns = { ...firstColumns, ...laterColumns, posted_on }

export type CreditNoteRow = Row<typeof creditNoteColumns>

const storedColumns = {
  ...firstColumns,
  ...laterColumns,
  ...issuedColumns,
  /** The rows that it gives back; blank if they are all those of its invoice. */
  products: addedLater({ ...optional(productList), rows: productColumns }, undefined),
  posted_on,
  revenue: revenueColumn,
  /** The invoices that it pays, apart from the one that it corrects. */
  allocations: allocationsColumn,
}

export type CreditNote = Row<typeof storedColumns>

/** The columns of a credit note that no dataset brings. */
export const ofNoIssue = {
  month: '',
  charged: undefined,
  parties: '',
  products: undefined,
  revenue: '',
  allocations: '',
} as const

/** The ledger entries of a credit note. */
export const entriesOfCreditNote = ({
  price,
  price_with_vat = price,
  currency,
  allocations,
}: CreditNote): LedgerEntry[] => entriesOfReduction(currency, price_with_vat, allPartsIn(allocations))

/** A month that gave back more than it billed has one. That of an invoice says why. */
export const isOfMonth = ({ month, comment }: Pick<CreditNote, 'month' | 'comment'>): boolean =>
  month !== '' && comment === ''

/**
 * The unassigned part of a credit note. One that was issued for an invoice is that invoice's; one of a month
 * that gave back more than it billed, or an imported one, pays others.
 */
export const unassignedOfNote = (note: CreditNote): Money =>
  note.month === '' || isOfMonth(note)
    ? unallocated(note.price_with_vat ?? note.price, allocationsIn(note.allocations))
    : ZERO

export type StoredNote = Stored<OwnedDocument<CreditNote>>

/** A credit note as a payment: it pays invoices alike, and what it books is booked already. */
export interface NotePayment extends StoredPayment {
  readonly note: StoredNote
}

export const asPayment = (note: StoredNote): NotePayment => ({
  ...ofNoInvoice,
  ...{ note, version: note.version, digest: note.digest, owner_id: note.owner_id, user_id: note.user_id },
  id: payerOfNote(note.id),
  ...{ date: 0, confirm_date: undefined, transaction_id: note.number, type: '', fee: ZERO },
  ...{ amount: note.price, amount_with_vat: note.price_with_vat ?? note.price, vat_percent: ZERO },
  ...{ currency: note.currency, exchange_rate: note.exchange_rate, completed: true, booked: undefined },
  ...{ pending_reason: '', comments_for_user: '', posted_on: undefined, allocations: note.allocations },
})

export const isNote = (payer: StoredPayment): payer is NotePayment => 'note' in payer

/** The changes of the part that pays invoices; none if it stayed the same. */
export const changesOfPayer = (before: StoredPayment, after: StoredPayment | undefined): Change[] => {
  if (after === undefined || after === before) return []
  if (!isNote(before)) return changesOf(payments, before, after)
  const { note } = before
  return changesOf(creditNotes, note, { ...note, allocations: after.allocations })
}

/** The payments and credit notes that name or pay an invoice. */
export async function listPayersOf(
  store: Store,
  invoice: { readonly id: number; readonly paid_by?: string },
): Promise<StoredPayment[]> {
  const [paying, notes] = await Promise.all([
    listPaymentsOfInvoice(store, invoice),
    creditNotes.findMany(store, notesPaying(invoice)),
  ])
  return [...paying, ...notes.filter((note) => note !== undefined).map(asPayment)]
}

/** Ordered by day of issue, then id. */
export const creditNotes = defineDocuments('CREDITNOTE', {
  name: 'credit note',
  columns: storedColumns,
  place: '<issue_date>#<id>',
  continues: ({ invoices }) => invoices !== '',
  books: [bookedInLedger(entriesOfCreditNote)],
  posts: [postedAs('credit note', postedCreditNote)],
})

/** The credit notes issued on these days, or all; ascending by day of issue, then id. */
export const listCreditNotes = (store: Store, scope: LimitedScope, days: PlaceRange = {}) =>
  documentPages(store, creditNotes, { scope, ...days })
