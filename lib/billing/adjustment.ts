import { dateTime, id, money, optional, type Row, requiredText, text } from '#lib/table/columns.ts'
import { bookedInBalance } from './balance-item.ts'
import { defineDocuments } from './document.ts'

// Shape

/** A row of the journal: an operator's correction of a balance, in the default currency. */
export const adjustmentColumns = {
  id,
  user_id: id,
  date: dateTime,
  /** Negative amounts lower the balance. */
  amount: money(),
  who: text(),
  why: requiredText,
  /** Added to the balance. Blank: nothing, because its day is before Balance_From (wire.md 7.5). */
  booked: optional(money()),
}

export type Adjustment = Row<typeof adjustmentColumns>

/** The author of adjustments that an invoice or a credit note makes. */
export const OF_DOCUMENTS = 'invoices'

// Declaration

/** Ordered by date, then id. */
export const adjustments = defineDocuments('ADJUSTMENT', {
  name: 'adjustment',
  columns: adjustmentColumns,
  place: '<date>#<id>',
  continues: ({ who }) => who === OF_DOCUMENTS,
  books: [bookedInBalance('adjusted')],
})
