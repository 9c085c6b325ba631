import { type Books, withBookedAmount } from '#lib/domain/billing/booking.ts'
import { dateTime, id, money, optional, type Row, requiredText, text } from '#lib/store/columns.ts'
import { retryingRaces } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'
import { bookedInBalance } from './balance-item.ts'
import { defineDocuments, newDocumentId, replaceDocuments } from './document.ts'

// Shape

/** A row of the journal: an operator's correction of a balance, in the default currency. */
export const adjustmentColumns = {
  id,
  user_id: id,
  date: dateTime,
  /** Negative amounts lower the balance. */
  amount: money(),
  /** The operator. */
  who: text(),
  why: requiredText,
  /** What it adds to the balance. Blank: nothing, because its day is before Balance_From (wire.md 7.5). */
  booked: optional(money()),
}

export type Adjustment = Row<typeof adjustmentColumns>

// Declaration

/** By date, then id. */
export const adjustments = defineDocuments('ADJUSTMENT', {
  name: 'adjustment',
  columns: adjustmentColumns,
  place: '<date>#<id>',
  books: [bookedInBalance('adjusted')],
})

// Access patterns

/** Writes a row of the journal and books it. Throws ConditionFailed when the account has another owner by now. */
export const recordAdjustment = (
  store: Store,
  { id: user_id, owner_id }: { readonly id: number; readonly owner_id: number },
  said: Pick<Adjustment, 'amount' | 'date' | 'who' | 'why'>,
  books: Books,
): Promise<Adjustment> =>
  retryingRaces(store, async (lostRaces) => {
    const adjustmentId = newDocumentId(said.date * 1000, lostRaces)
    const row = withBookedAmount({ ...said, id: adjustmentId, user_id }, undefined, books)
    await replaceDocuments(store, adjustments, [{ before: undefined, after: { ...row, owner_id } }])
    return row
  })
