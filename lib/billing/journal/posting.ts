import type { Day } from '#lib/base/calendar.ts'
import { add, isZero, type Money, subtract, ZERO } from '#lib/base/money.ts'
import type { Posting, Stored } from '#lib/table/entity.ts'
import { keyForm } from '#lib/table/keys.ts'
import { absent, type Change } from '#lib/table/requests/changes.ts'
import { ROW } from '#lib/table/table.ts'

/** The kinds of entries. A further kind is a word here, and `posts` in the declaration of its documents. */
export const POSTED_KINDS = ['invoice', 'from balance', 'credit note', 'payment', 'adjustment'] as const

export type PostedKind = (typeof POSTED_KINDS)[number]

/** The accounts of lines, which settings number. All others are kinds of revenue. */
export const LEDGER_ACCOUNTS = [
  'receivables',
  'VAT',
  'bank',
  'difference',
  'prepaid',
  'adjustment',
  ...['calls', 'fees', 'minimum', 'goodwill', 'other'],
] as const

export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number]

/**
 * A line: its account, the word that chooses among its numbers (a VAT percent, a type of payment, a kind of
 * adjustment), and an amount in the default currency, above 0 for a debit.
 */
export type PostedLine = readonly [account: LedgerAccount, word: string, amount: Money]

/** The posting of a document. The first line is its own account, and all lines add up to 0. */
export interface Posted {
  /** The day on which it is posted while the month of that day is open. */
  readonly day: Day
  /** The day of its last change, such as a release: that is posted on this day. */
  readonly changed_on?: Day | undefined
  /** The day of the document, if it is another one. */
  readonly document_day?: Day | undefined
  readonly number: string
  /** Blank: the default currency. */
  readonly currency: string
  /** With VAT in its currency; negative for refunds. */
  readonly amount: Money
  readonly rate?: Money | undefined
  readonly due?: Day | undefined
  readonly period_till?: Day | undefined
  /** The invoice whose number it is posted with. */
  readonly invoice_id?: number | undefined
  /** The reason of an adjustment. */
  readonly text?: string | undefined
  readonly lines: readonly PostedLine[]
}

/** A document as far as the journal names it. */
interface PostingDocument {
  readonly id: number
  readonly user_id: number
  /** Its seller; declarations of documents add the column. */
  readonly owner_id?: number
  /** Blank for one that was stored before entries were, until its migration. */
  readonly posted_on?: Day | undefined
}

/** Tables of earlier formats have documents without entries. */
export const POSTED_SINCE = 4

/** An entry that has no number yet. `version` is that of the document before the change that posts it. */
export const unpostedKey = keyForm('UNPOSTED#<seller>', '<day>#<kind>#<document>#<version>')

/**
 * Declares what documents post. Each change of a document stores the difference as an entry, in the same
 * transaction; a change that posts nothing else stores none. A document without `posted_on` was stored before
 * entries were, and posts nothing until its migration.
 */
export function postedAs<R>(
  kind: PostedKind,
  postedOf: (row: R) => Posted | undefined,
): Posting<R & PostingDocument> {
  type Row = R & PostingDocument
  const entryOf = (row: Row, before: Stored<Row> | undefined, posted: Posted): Change => ({
    put: {
      ...unpostedKey(row.owner_id ?? 0, posted.day, kind, row.id, before?.version ?? 0),
      user_id: row.user_id,
      [ROW]: JSON.stringify({ ...posted, marked: before && markOf(before) }),
    },
    when: { PK: absent },
  })
  const changes = (before: Stored<Row> | undefined, after: Row | undefined): Change[] => {
    if (before && after && (before.owner_id !== after.owner_id || before.user_id !== after.user_id))
      return [...changes(before, undefined), ...changes(undefined, after)]
    const difference = differenceOf(before && postedOf(before), after && postedOf(after))
    const row = after ?? before
    return difference && row ? [entryOf(row, before, difference)] : []
  }
  return {
    key: unpostedKey,
    changes,
    totals: (row) => (postedOf(row)?.lines ?? []).map((line) => [totalOfLine(kind, row.id, line), line[2]]),
  }
}

/** Only its migration posts a document that was stored before entries were. */
const markOf = ({ posted_on }: PostingDocument): 'migration' | undefined =>
  posted_on === undefined ? 'migration' : undefined

export const totalOfLine = (kind: PostedKind, document: number, [account, word]: PostedLine): string =>
  `${account}${word === '' ? '' : ` ${word}`} that ${kind} ${document} posts`

/** The entry from one state of a document to the next; `undefined` if both post the same. */
function differenceOf(had: Posted | undefined, has: Posted | undefined): Posted | undefined {
  const facts = has ?? had
  const lines = sumOfLines([...(has?.lines ?? []), ...reversed(had?.lines ?? [])])
  if (!facts || lines.length === 0) return undefined
  const { changed_on = '', ...posted } = facts
  const isLater = had !== undefined && has !== undefined && changed_on > posted.day
  return {
    ...posted,
    ...(isLater && { day: changed_on, document_day: posted.day }),
    ...{ amount: subtract(has?.amount ?? ZERO, had?.amount ?? ZERO), lines },
  }
}

export const reversed = (lines: readonly PostedLine[]): PostedLine[] =>
  lines.map(([account, word, amount]) => [account, word, subtract(ZERO, amount)])

/** One line for each account and word, in the order of their first lines; none of 0. */
export function sumOfLines(lines: readonly PostedLine[]): PostedLine[] {
  const sums = new Map<string, PostedLine>()
  for (const [account, word, amount] of lines) {
    const name = `${account} ${word}`
    sums.set(name, [account, word, add(sums.get(name)?.[2] ?? ZERO, amount)])
  }
  return [...sums.values()].filter(([, , amount]) => !isZero(amount))
}
