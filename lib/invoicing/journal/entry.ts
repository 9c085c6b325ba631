import * as v from 'valibot'
import { LEDGER_ACCOUNTS, POSTED_KINDS } from '#lib/billing/journal/posting.ts'
import { optional, requiredText, text } from '#lib/table/columns.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { ROW } from '#lib/table/table.ts'
import type { Month } from '../month.ts'

/** An entry with its number, for ever. */
export const journalKey = keyForm('JOURNAL#<seller>#<month>', '<number>')

/** The last number of a month, and the numbers that were exported. */
export const journalMonthKey = keyForm('JOURNALMONTHS#<seller>', '<month>')

/** The last closed month of a seller. All earlier ones are closed, too. */
export const closedMonthKey = keyForm('JOURNALCLOSED#<seller>', 'CLOSED')

const maybe = optional(requiredText).schema

/** The columns that an entry has from its transaction on. */
const factsOfEntry = {
  day: requiredText.schema,
  document_day: maybe,
  number: text().schema,
  currency: text().schema,
  amount: v.string(),
  rate: maybe,
  due: maybe,
  period_till: maybe,
  text: maybe,
}

const account = v.picklist(LEDGER_ACCOUNTS)

const unpostedSchema = v.object({
  ...factsOfEntry,
  invoice_id: v.optional(v.number()),
  /** A migration has written it, from a document that was stored before entries were. */
  marked: v.optional(v.literal('migration')),
  lines: v.array(v.tuple([account, v.string(), v.string()])),
})

export type UnpostedEntry = v.InferOutput<typeof unpostedSchema>

const lineSchema = v.object({
  of: account,
  word: v.string(),
  /** As the document posts it; `amount` is rounded to the minor unit of the default currency. */
  exact: v.string(),
  amount: v.string(),
  /** The number of the account, for receivables that of the debtor. */
  account: v.string(),
  debtor: maybe,
  tax_key: maybe,
})

const entrySchema = v.object({
  ...factsOfEntry,
  kind: v.picklist(POSTED_KINDS),
  document: v.number(),
  user_id: v.number(),
  customer: v.string(),
  /** The default currency, in which it is posted. */
  posted_currency: v.string(),
  marked: v.optional(v.literal('migration')),
  lines: v.array(lineSchema),
})

/** A numbered entry: `day` is the one on which it is posted. The first line is the document's own account. */
export type JournalEntry = v.InferOutput<typeof entrySchema>

export type NumberedEntry = readonly [number: number, entry: JournalEntry]

export type JournalLine = v.InferOutput<typeof lineSchema>

export const readUnposted = (item: Item): UnpostedEntry =>
  v.parse(unpostedSchema, JSON.parse(String(item[ROW])))

export const readEntry = (item: Item): JournalEntry => v.parse(entrySchema, JSON.parse(String(item[ROW])))

const monthSchema = v.object({
  last: v.number(),
  /** When the entries up to a number were exported for the first time. */
  exported: v.optional(v.object({ last: v.number(), at: v.string() })),
})

export type JournalMonth = v.InferOutput<typeof monthSchema>

export const readJournalMonth = (item: Item | undefined): JournalMonth =>
  item ? v.parse(monthSchema, item) : { last: 0 }

export const closedTill = (item: Item | undefined): Month | undefined =>
  item && v.parse(v.object({ till: v.string() }), item).till

export const findClosedTill = async (store: Store, seller: number): Promise<Month | undefined> =>
  closedTill(await store.get(closedMonthKey(seller)))
