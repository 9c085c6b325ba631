import type { LimitedScope } from '#lib/domain/accounts/scope.ts'
import { date, id, money, optional, type Row, text } from '#lib/store/columns.ts'
import type { Store } from '#lib/store/store.ts'
import { defineDocuments, documentPages, type Stretch } from './document.ts'

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
  /** A credit note that has one is paid. */
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

export const { find: findCreditNote } = creditNotes

/** Those issued on the days of the stretch, all without one; ascending by day of issue, then id. */
export const listCreditNotes = (store: Store, scope: LimitedScope, days: Stretch = {}) =>
  documentPages(store, creditNotes, { scope, ...days })
