import type { LimitedScope } from '#lib/domain/accounts/scope.ts'
import { date, id, money, optional, type Row, text } from '#lib/store/columns.ts'
import { padded } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { defineDocuments, documentPages, findDocuments, type Kept, type Stretch } from './document.ts'

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

// Keys

/** By day of issue, then id. */
export const creditNotes = defineDocuments(
  'CREDITNOTE',
  creditNoteColumns,
  ({ issue_date, id: noteId }) => `${issue_date}#${padded(noteId)}`,
)

// Access patterns

export async function findCreditNote(store: Store, noteId: number): Promise<(CreditNote & Kept) | undefined> {
  return (await findDocuments(store, creditNotes, [noteId]))[0]
}

/** Those issued on the days of the stretch, all without one; ascending by day of issue, then id. */
export const listCreditNotes = (store: Store, scope: LimitedScope, days: Stretch = {}) =>
  documentPages(store, creditNotes, { scope, ...days })
