import { subtract, ZERO } from '#lib/base/money.ts'
import type { LimitedScope } from '#lib/base/scope.ts'
import { addedLater, date, id, money, optional, type Row, text } from '#lib/table/columns.ts'
import type { Store } from '#lib/table/store.ts'
import { bookedInLedger, type LedgerEntry } from './balance-item.ts'
import { defineDocuments, documentPages, documentRate, type PlaceRange } from './document.ts'
import { issuedColumns, revenueColumn } from './invoice.ts'
import { productColumns, productList } from './invoice-product.ts'
import { postedCreditNote } from './journal/document-posting.ts'
import { postedAs } from './journal/posting.ts'

// Shape

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
}

export type CreditNote = Row<typeof storedColumns>

/** The columns of a credit note that no dataset brings. */
export const ofNoIssue = {
  month: '',
  charged: undefined,
  parties: '',
  products: undefined,
  revenue: '',
} as const

/** What a credit note adds to the ledger of its account. */
export const entriesOfCreditNote = ({
  price,
  price_with_vat = price,
  currency,
}: CreditNote): LedgerEntry[] => [{ currency, owed: subtract(ZERO, price_with_vat) }]

// Declaration

/** Ordered by day of issue, then id. */
export const creditNotes = defineDocuments('CREDITNOTE', {
  name: 'credit note',
  columns: storedColumns,
  place: '<issue_date>#<id>',
  continues: ({ invoices }) => invoices !== '',
  books: [bookedInLedger(entriesOfCreditNote)],
  posts: [postedAs('credit note', postedCreditNote)],
})

// Access patterns

/** The credit notes issued on these days, or all; ascending by day of issue, then id. */
export const listCreditNotes = (store: Store, scope: LimitedScope, days: PlaceRange = {}) =>
  documentPages(store, creditNotes, { scope, ...days })
