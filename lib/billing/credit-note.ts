import type { LimitedScope } from '#lib/base/scope.ts'
import { date, id, money, optional, type Row, text } from '#lib/table/columns.ts'
import type { Store } from '#lib/table/store.ts'
import { defineDocuments, documentPages, type PlaceRange } from './document.ts'

// Shape

export const creditNoteColumns = {
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

export type CreditNote = Row<typeof creditNoteColumns>

// Declaration

/** By day of issue, then id. */
export const creditNotes = defineDocuments('CREDITNOTE', {
  name: 'credit note',
  columns: creditNoteColumns,
  place: '<issue_date>#<id>',
})

// Access patterns

/** The credit notes issued on these days, or all; ascending by day of issue, then id. */
export const listCreditNotes = (store: Store, scope: LimitedScope, days: PlaceRange = {}) =>
  documentPages(store, creditNotes, { scope, ...days })
