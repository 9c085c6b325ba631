import pMap from 'p-map'
import { findAccounts } from '#lib/accounts/account.ts'
import type { Day } from '#lib/base/calendar.ts'
import { paired, slices } from '#lib/base/collections.ts'
import { isZero, subtract } from '#lib/base/money.ts'
import {
  allProblems,
  isStoredRow,
  kindAfter,
  missingReference,
  type RowOutcome,
  type RowProblem,
  rowRefused,
} from '#lib/base/row-refused.ts'
import { type Adjustment, adjustmentColumns, adjustments, OF_DOCUMENTS } from '#lib/billing/adjustment.ts'
import {
  type Books,
  type Converted,
  openBooks,
  withBookedAmount,
  withExchangeRate,
} from '#lib/billing/booking.ts'
import { type Charge, chargeColumns, charges, withBookedCharge } from '#lib/billing/charges/charge.ts'
import {
  type CreditNote,
  type CreditNoteRow,
  creditNoteColumns,
  creditNotes,
  ofNoIssue,
} from '#lib/billing/credit-note.ts'
import {
  DOCUMENTS_IN_ONE_TRANSACTION,
  type Document,
  type DocumentEntity,
  type DocumentReplacement,
  documentsReplaced,
  type OwnedDocument,
  ownerOfDocument,
} from '#lib/billing/document.ts'
import { watchBalances } from '#lib/billing/notifications/watched-balances.ts'
import { type Payment, paymentColumns, payments } from '#lib/billing/payment.ts'
import { type ImportContext, type Known, knownRow, onlyTable } from '#lib/dataset/format/import-context.ts'
import { deletedReference, referenceProblems } from '#lib/dataset/format/references.ts'
import { byId, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import { withKeptColumns } from '#lib/dataset/format/row-entry.ts'
import { type Outcomes, type RowEntry, type RowFormat, rowsOf } from '#lib/dataset/format/row-format.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Columns } from '#lib/table/columns.ts'
import type { Stored } from '#lib/table/entity.ts'
import { dropStalePointer } from '#lib/table/entity-changes.ts'
import { accountKey } from '#lib/table/keys.ts'
import { currencyProblems } from './currency-problems.ts'

type Billed = Document & Converted

/** A file of documents. `R` is a row, and `D` is the stored document. */
interface DocumentFormat<R extends Billed, D extends R> {
  readonly columns: Columns
  readonly kind: DocumentEntity<D>
  readonly stored: (row: R, before: D | undefined) => D
  /** The row with its exchange rate and what it adds to the balance, given the stored row. */
  readonly converted?: (row: R, before: D | undefined, books: Books) => R
  readonly problem?: (row: R) => RowProblem | undefined
  /** The columns with defaults that `problem` looks at. */
  readonly checkedColumns?: readonly string[]
}

interface FoundDocument<D> {
  readonly before: Stored<OwnedDocument<D>> | undefined
  readonly owner_id: number | undefined
}

export function documentFile<R extends Billed, D extends R>(format: DocumentFormat<R, D>): RowFormat<R> {
  const { requires } = format.kind
  return {
    columns: format.columns,
    checkedColumns: format.checkedColumns ?? [],
    optionalReferences: requires.filter(({ column }) => format.columns[column]?.blank),
    claims: ({ id }) => [`id ${id}`],
    check: async (entries, context) => {
      const rows = rowsOf(entries)
      const missing = await referenceProblems(context, rows, requires)
      const known = rows.filter((row) => allProblems(missing(row)).length === 0)
      const currencies = known.map(({ currency }) => currency)
      const noRate = await currencyProblems(context, currencies)
      return ({ row }) => allProblems(missing(row), format.problem?.(row), noRate(row.currency)).slice(0, 1)
    },
    stored: byId(format.kind.findMany),
    compare: oneByOne(format).compare,
    changeOf: oneByOne(format).changeOf,
    write: (entries, context) => writeTogether(format, entries, context),
  }
}

/** An account that the dataset brings or has named before is not read. The transaction checks its owner. */
async function findStored<D extends Document>(
  kind: DocumentEntity<D>,
  rows: readonly Document[],
  context: Known,
): Promise<(row: Document) => FoundDocument<D>> {
  const knownOwner = (id: number) => knownRow(context, accountKey, id)?.owner_id
  const ids = rows.map(({ id }) => id)
  const users = new Set(rows.map(({ user_id }) => user_id))
  const unknown = [...users].filter((id) => knownOwner(id) === undefined)
  const [found, accounts] = await Promise.all([
    kind.findMany(context.store, ids),
    findAccounts(context.store, unknown),
  ])
  const [stored, owners] = [paired(ids, found), paired(unknown, accounts)]
  return (row) => {
    const present = knownOwner(row.user_id) ?? owners.get(row.user_id)?.owner_id
    const before = stored.get(row.id)
    return {
      before,
      owner_id: present === undefined ? undefined : ownerOfDocument(kind, row, before, present),
    }
  }
}

/** The replacement of the stored document by a row, or `undefined` if the row is stored already. */
function replacementOf<R extends Billed, D extends R>(
  { stored, converted }: DocumentFormat<R, D>,
  { row: given, digest }: RowEntry<R>,
  { before, owner_id }: FoundDocument<D>,
  books: Books | undefined,
): DocumentReplacement<D> | undefined {
  if (owner_id === undefined) throw rowRefused(missingReference('user_id', 'account', given.user_id))
  const row = books && converted ? converted(given, before, books) : given
  const isStored = before?.digest === digest || isStoredRow(row, before)
  if (isStored && before?.owner_id === owner_id) return undefined
  return { before, after: { ...stored(row, before), owner_id, digest } }
}

const MAX_PARALLEL_TRANSACTIONS = 8

/** Writes many rows in one transaction. If it fails for any reason, the rows are written one by one. */
async function writeTogether<R extends Billed, D extends R>(
  format: DocumentFormat<R, D>,
  entries: readonly RowEntry<R>[],
  context: ImportContext,
): Promise<Outcomes<R>> {
  const outcomes = new Map<RowEntry<R>, RowOutcome | undefined>()
  const writeGroup = async (group: readonly RowEntry<R>[]) => {
    const written = await writeInOneTransaction(format, group, context).catch(() =>
      oneByOne(format).write(group, context),
    )
    for (const [entry, outcome] of written) outcomes.set(entry, outcome)
  }
  // Rows of one account share a transaction, because transactions that check the same account would conflict.
  const byAccount = entries.toSorted((one, other) => one.row.user_id - other.row.user_id)
  await pMap(slices(byAccount, DOCUMENTS_IN_ONE_TRANSACTION), writeGroup, {
    concurrency: MAX_PARALLEL_TRANSACTIONS,
  })
  return outcomes
}

async function writeInOneTransaction<R extends Billed, D extends R>(
  format: DocumentFormat<R, D>,
  entries: readonly RowEntry<R>[],
  context: ImportContext,
): Promise<Outcomes<R>> {
  const foundFor = await findStored(format.kind, rowsOf(entries), context)
  const books = await booksFor(format, rowsOf(entries), context)
  const replacements = entries.map((entry) => {
    const found = foundFor(entry.row)
    return replacementOf(format, withKeptColumns(entry, found.before), found, books)
  })
  const changed = replacements.filter((replacement) => replacement !== undefined)
  if (changed.length > 0) {
    const { changes, afterwards } = watchedReplacement(format.kind, changed, context)
    await context.store.transact(changes)
    await afterwards()
  }
  const outcomes = replacements.map((one): RowOutcome => (one ? kindAfter(one.before) : 'unchanged'))
  return paired(entries, outcomes)
}

function watchedReplacement<D extends Document>(
  kind: DocumentEntity<D>,
  replacements: readonly DocumentReplacement<D>[],
  { store, settings, clock }: ImportContext,
) {
  const ids = kind.books.length > 0 ? replacements.map(({ after }) => after.user_id) : []
  return {
    changes: documentsReplaced(kind, replacements),
    afterwards: () => watchBalances({ store, settings, now: clock() }, ids),
  }
}

/** Subscriptions have no amounts. Settings are read again: Balance_From may move during an import. */
const booksFor = async <R extends Billed, D extends R>(
  { converted }: DocumentFormat<R, D>,
  rows: readonly R[],
  { store }: ImportContext,
): Promise<Books | undefined> => converted && openBooks(store, await settingsOf(store), rows)

interface Posted extends Converted {
  readonly posted_on?: Day | undefined
  /** Only payments wait for it, and are posted then. */
  readonly completed?: boolean
}

/** A document is posted on its own day, unless it was stored before entries were: its migration posts it. */
export function withPostingDay<R extends Posted & { readonly issue_date: Day }>(
  row: R,
  before: Posted | undefined,
  books: Books,
): R {
  const posted_on = before ? before.posted_on : row.issue_date
  return postedOnce(row, before, { ...withExchangeRate(row, before, books), posted_on })
}

/**
 * A row that says when it was posted has its entry in the journal that it was exported from. Without that
 * journal it posts nothing: an entry is written once.
 */
const postedOnce = <R extends Posted>(given: R, before: Posted | undefined, row: R): R =>
  before || given.posted_on === undefined || given.completed === false
    ? row
    : { ...row, posted_on: undefined }

const withBooked = <R extends Parameters<typeof withBookedAmount>[0]>(
  row: R,
  before: Parameters<typeof withBookedAmount>[1],
  books: Books,
): R => postedOnce(row, before, withBookedAmount(row, before, books))

/** Columns that follow from a document's day keep what is stored. */
const withKeptRate = <R extends Posted>(row: R, before: Posted | undefined): R => ({
  ...row,
  exchange_rate: row.exchange_rate ?? before?.exchange_rate,
  posted_on: before?.posted_on,
})

const oneByOne = <R extends Billed, D extends R>(format: DocumentFormat<R, D>) =>
  rowByRow<R, FoundDocument<D>>({
    lane: ({ user_id }) => user_id,
    find: (rows, { store }) => findStored(format.kind, rows, onlyTable(store)),
    columnsIn: ({ before }) => before,
    isStored: ({ row }, { before, owner_id }) =>
      before?.owner_id === owner_id && isStoredRow(withKeptRate(row, before), before),
    admit: ({ row }, { before }) => void format.stored(row, before),
    changes: async (entry, found, context) => {
      const books = await booksFor(format, [entry.row], context)
      const replacement = replacementOf(format, entry, found, books)
      return replacement && watchedReplacement(format.kind, [replacement], context)
    },
    obstacle: async (row, context) => {
      await dropStalePointer(context.store, format.kind, row.id)
      return deletedReference(row, context, format.kind.requires)
    },
  })

export const paymentsFile = documentFile<Payment, Payment>({
  columns: paymentColumns,
  kind: payments,
  stored: (row, before) => {
    if (before && (before.invoice_id !== undefined || before.allocations !== ''))
      throw rowRefused(`payment ${row.id} pays an invoice and is not changed: take it back first`)
    if (row.completed && row.invoice_id !== undefined && row.net === undefined)
      throw rowRefused('invoice_id: leave it blank, and assign the payment to the invoice')
    return row
  },
  converted: (row, before, books) => withBooked(withExchangeRate(row, before, books), before, books),
})

export const adjustmentsFile = documentFile<Adjustment, Adjustment>({
  columns: adjustmentColumns,
  kind: adjustments,
  stored: (row, before) =>
    before?.who === OF_DOCUMENTS || before?.written_off !== undefined
      ? withAmountOf(before, row, `adjustment ${row.id} belongs to a document and is not changed`)
      : row,
  converted: withBooked,
})

export const chargesFile = documentFile<Charge, Charge>({
  columns: chargeColumns,
  kind: charges,
  stored: (row, before) =>
    withAmountOf(before, row, `charge ${row.id} is not changed: end or change its subscription`),
  converted: withBookedCharge,
})

/** Refuses a row that changes the account or the amount of a stored one, which an invoice may have billed. */
function withAmountOf<R extends Pick<Charge, 'user_id' | 'amount'>>(
  before: Pick<Charge, 'user_id' | 'amount'> | undefined,
  row: R,
  why: string,
): R {
  if (before && (before.user_id !== row.user_id || !isZero(subtract(before.amount, row.amount))))
    throw rowRefused(why)
  return row
}

export const creditNotesFile = documentFile<CreditNoteRow, CreditNote>({
  columns: creditNoteColumns,
  kind: creditNotes,
  stored: (row, before) => ({ ...ofNoIssue, ...unissued(creditNotes, before), ...row }),
  converted: withPostingDay,
})

/** A document that was issued here never changes, so no row replaces it. */
export function unissued<D extends Document & { readonly number: string; readonly month: string }>(
  { name }: Pick<DocumentEntity<D>, 'name'>,
  before: D | undefined,
): D | undefined {
  if (!before || before.month === '') return before
  throw rowRefused(`${name} ${before.number} was issued here and never changes: correct it by a credit note`)
}
