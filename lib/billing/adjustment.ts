import { subtract, ZERO } from '#lib/base/money.ts'
import {
  addedLater,
  dateTime,
  id,
  money,
  optional,
  optionalId,
  type Row,
  requiredText,
  text,
} from '#lib/table/columns.ts'
import { bookedInBalance, bookedInLedger, type LedgerEntry } from './balance-item.ts'
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
  /** The invoice of which it writes off an amount with VAT, in the invoice's currency. */
  written_off: addedLater(optionalId, undefined),
  gross: addedLater(optional(money()), undefined),
  gross_currency: addedLater(text(), ''),
}

export type Adjustment = Row<typeof adjustmentColumns>

/** The author of adjustments that an invoice or a credit note makes. */
export const OF_DOCUMENTS = 'invoices'

/** The columns of an adjustment that writes off nothing. */
export const ofNoWriteOff = { written_off: undefined, gross: undefined, gross_currency: '' } as const

/** What an adjustment adds to the ledger of its account: a write-off is no longer owed. */
export const entriesOfAdjustment = ({
  written_off,
  gross = ZERO,
  gross_currency,
}: Adjustment): LedgerEntry[] =>
  written_off === undefined ? [] : [{ currency: gross_currency, owed: subtract(ZERO, gross) }]

// Declaration

/** Ordered by date, then id. */
export const adjustments = defineDocuments('ADJUSTMENT', {
  name: 'adjustment',
  columns: adjustmentColumns,
  place: '<date>#<id>',
  continues: ({ who }) => who === OF_DOCUMENTS,
  books: [bookedInBalance('adjusted'), bookedInLedger(entriesOfAdjustment)],
})
