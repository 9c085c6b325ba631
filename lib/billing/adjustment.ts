import { ONE, subtract, ZERO } from '#lib/base/money.ts'
import { cutText } from '#lib/base/text.ts'
import {
  addedLater,
  dateTime,
  date as dayColumn,
  id,
  money,
  oneOf,
  optional,
  optionalId,
  type Row,
  requiredText,
  text,
} from '#lib/table/columns.ts'
import { bookedInBalance, bookedInLedger, type LedgerEntry } from './balance-item.ts'
import { convertedAmount } from './booking.ts'
import { defineDocuments } from './document.ts'
import { type Posted, postedAs, sumOfLines } from './journal/posting.ts'

/** The kinds of adjustments, with an account for each in the setting Journal_Adjustments. */
export const ADJUSTMENT_KINDS = [
  ...['goodwill', 'bad_debt', 'bank_fee', 'opening', 'correction'],
  'rounding',
] as const

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
  /** Units of that currency for one of the default currency. Blank: 1. */
  gross_rate: addedLater(optional(money()), undefined),
  kind: addedLater(oneOf(ADJUSTMENT_KINDS, 'correction'), 'correction'),
  /** The day on which the journal posts it; blank for one that was stored before entries were. */
  posted_on: addedLater(optional(dayColumn), undefined),
}

export type Adjustment = Row<typeof adjustmentColumns>

/** The author of adjustments that an invoice or a credit note makes. */
export const OF_DOCUMENTS = 'invoices'

/** The columns of an adjustment that writes off nothing. */
export const ofNoWriteOff = {
  written_off: undefined,
  gross: undefined,
  gross_currency: '',
  gross_rate: undefined,
} as const

/** The ledger entries of an adjustment: a write-off is no longer owed. */
export const entriesOfAdjustment = ({
  written_off,
  gross = ZERO,
  gross_currency,
}: Adjustment): LedgerEntry[] =>
  written_off === undefined ? [] : [{ currency: gross_currency, owed: subtract(ZERO, gross) }]

/** Ordered by date, then id. */
export const adjustments = defineDocuments('ADJUSTMENT', {
  name: 'adjustment',
  columns: adjustmentColumns,
  place: '<date>#<id>',
  continues: ({ who }) => who === OF_DOCUMENTS,
  books: [bookedInBalance('adjusted'), bookedInLedger(entriesOfAdjustment)],
  posts: [postedAs('adjustment', postedAdjustment)],
})

const LONGEST_TEXT = 200

/**
 * The posting of an adjustment: a gift to a customer is owed to him as if he had prepaid it. One that a
 * document makes is posted by the document, one that balances do not count is not posted.
 */
function postedAdjustment(adjustment: Adjustment): Posted | undefined {
  const { id, posted_on: day, amount, who, why, kind, booked, written_off } = adjustment
  if (day === undefined) return undefined
  const posted = { day, number: String(id), currency: '', amount, text: cutText(why, LONGEST_TEXT) }
  if (written_off !== undefined) return { ...posted, ...postedWriteOff(adjustment), invoice_id: written_off }
  if (who === OF_DOCUMENTS || booked === undefined) return undefined
  const lines = sumOfLines([
    ['adjustment', kind, booked],
    ['prepaid', '', subtract(ZERO, booked)],
  ])
  return { ...posted, lines }
}

/** A write-off takes net and VAT out of the receivables. */
function postedWriteOff({ amount, gross = ZERO, gross_currency, gross_rate: rate, kind }: Adjustment) {
  const all = convertedAmount(gross, rate ?? ONE)
  const lines = sumOfLines([
    ['adjustment', kind, amount],
    ['VAT', '', subtract(all, amount)],
    ['receivables', '', subtract(ZERO, all)],
  ])
  return { amount: gross, currency: gross_currency, rate, lines }
}
