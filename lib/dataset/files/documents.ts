import pMap from 'p-map'
import { type ImportWorld, nothingAccepted } from '#lib/dataset/format/import-world.ts'
import {
  currencyProblems,
  deletedReference,
  knownRow,
  referenceProblems,
} from '#lib/dataset/format/references.ts'
import { byId, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import { withKeptColumns } from '#lib/dataset/format/row-entry.ts'
import type { RowEntry, RowFormat } from '#lib/dataset/format/row-format.ts'
import { slices } from '#lib/domain/collections.ts'
import {
  isStoredRow,
  kindAfter,
  missingReference,
  type Reasons,
  type RowOutcome,
  RowRefused,
} from '#lib/domain/row-refused.ts'
import { findAccounts } from '#lib/store/accounts/account.ts'
import { type CreditNote, creditNoteColumns, creditNotes } from '#lib/store/billing/credit-note.ts'
import {
  DOCUMENTS_IN_ONE_TRANSACTION,
  type Document,
  type Documents,
  type OwnedDocument,
  type Replacement,
  replaceDocuments,
} from '#lib/store/billing/document.ts'
import { type Payment, paymentColumns, payments } from '#lib/store/billing/payment.ts'
import type { Columns } from '#lib/store/columns.ts'
import type { Stored } from '#lib/store/entity.ts'
import { dropStalePointer } from '#lib/store/entity-changes.ts'
import { accountKey, isUnder } from '#lib/store/keys.ts'

/** A document without a currency is in the default currency. */
interface Billed extends Document {
  readonly currency?: string
}

/** A file of documents. `R` is a row, and `D` is the stored document. */
interface DocumentFormat<R extends Billed, D extends R> {
  readonly columns: Columns
  readonly kind: Documents<D>
  readonly stored: (row: R, before: D | undefined) => D
  /** Refuses rows for reasons beyond their columns and their account. */
  readonly check?: (entries: readonly RowEntry<R>[], world: ImportWorld) => Promise<Reasons>
  /** The columns with defaults that `check` looks at. */
  readonly checkedColumns?: readonly string[]
}

interface FoundDocument<D> {
  readonly before: Stored<OwnedDocument<D>> | undefined
  readonly owner_id: number | undefined
}

/** The format of a file of documents. */
export function documentFile<R extends Billed, D extends R>(format: DocumentFormat<R, D>): RowFormat<R> {
  const { requires } = format.kind
  return {
    columns: format.columns,
    checkedColumns: format.checkedColumns ?? [],
    optionalReferences: requires.filter(({ column }) => format.columns[column]?.blank),
    exported: { holds: isUnder(format.kind.key), read: format.kind.check },
    claims: ({ id }) => [`id ${id}`],
    check: async (entries, world) => {
      const rows = entries.map(({ row }) => row)
      const missing = await referenceProblems(world, rows, requires)
      const known = entries.filter((_, position) => missing[position] === undefined)
      const reasons = (await format.check?.(known, world)) ?? []
      const noRate = await currencyProblems(
        world,
        known.map(({ row }) => row.currency),
      )
      const reasonOf = new Map(
        known.map((entry, position) => [entry, reasons[position] ?? noRate[position]] as const),
      )
      return entries.map((entry, position) => missing[position] ?? reasonOf.get(entry))
    },
    stored: byId(format.kind.findMany),
    compare: oneByOne(format).compare,
    write: (entries, world) => writeTogether(format, entries, world),
  }
}

/** An account that the dataset brings or has named before is not read. The transaction checks its owner. */
async function findStored<D extends Document>(
  kind: Documents<D>,
  rows: readonly Document[],
  { store, accepted }: Pick<ImportWorld, 'store' | 'accepted'>,
): Promise<FoundDocument<D>[]> {
  const ownerOf = (id: number) => knownRow(accepted, accountKey, id)?.owner_id
  const ids = [...new Set(rows.map(({ user_id }) => user_id))].filter((id) => ownerOf(id) === undefined)
  const [stored, accounts] = await Promise.all([
    kind.findMany(
      store,
      rows.map(({ id }) => id),
    ),
    findAccounts(store, ids),
  ])
  const owners = new Map(accounts.flatMap((account) => (account ? [[account.id, account.owner_id]] : [])))
  return rows.map(({ user_id }, position) => ({
    before: stored[position],
    owner_id: ownerOf(user_id) ?? owners.get(user_id),
  }))
}

/** The replacement of the stored document by a row, or `undefined` if the row is stored already. */
function replacementOf<R extends Billed, D extends R>(
  { stored }: DocumentFormat<R, D>,
  { row, digest }: RowEntry<R>,
  { before, owner_id }: FoundDocument<D>,
): Replacement<D> | undefined {
  if (owner_id === undefined) throw new RowRefused(missingReference('user_id', 'account', row.user_id))
  const isStored = before?.digest === digest || isStoredRow(row, before)
  if (isStored && before?.owner_id === owner_id) return undefined
  return { before, after: { ...stored(row, before), owner_id, digest } }
}

const MAX_PARALLEL_TRANSACTIONS = 8

/** Writes many rows in one transaction. If it fails for any reason, the rows are written one by one. */
async function writeTogether<R extends Billed, D extends R>(
  format: DocumentFormat<R, D>,
  entries: readonly RowEntry<R>[],
  world: ImportWorld,
): Promise<RowOutcome[]> {
  const outcomes: RowOutcome[] = entries.map(() => 'unchanged')
  const writeGroup = async (positions: readonly number[]) => {
    const group = positions.map((position) => entries[position] as RowEntry<R>)
    const written = await writeInOneTransaction(format, group, world).catch(() =>
      oneByOne(format).write(group, world),
    )
    for (const [index, position] of positions.entries()) outcomes[position] = written[index] ?? 'unchanged'
  }
  await pMap(slices(byAccount(entries), DOCUMENTS_IN_ONE_TRANSACTION), writeGroup, {
    concurrency: MAX_PARALLEL_TRANSACTIONS,
  })
  return outcomes
}

/** Rows of one account share a transaction, because transactions that check the same account would conflict. */
const byAccount = (entries: readonly RowEntry<Document>[]): number[] =>
  entries
    .map(({ row }, position) => ({ user_id: row.user_id, position }))
    .sort((one, other) => one.user_id - other.user_id)
    .map(({ position }) => position)

async function writeInOneTransaction<R extends Billed, D extends R>(
  format: DocumentFormat<R, D>,
  entries: readonly RowEntry<R>[],
  { store, accepted }: ImportWorld,
): Promise<RowOutcome[]> {
  const rows = entries.map(({ row }) => row)
  const found = await findStored(format.kind, rows, { store, accepted })
  const replacements = entries.map((entry, position) =>
    replacementOf(
      format,
      withKeptColumns(entry, found[position]?.before),
      found[position] as FoundDocument<D>,
    ),
  )
  const changed = replacements.filter((replacement) => replacement !== undefined)
  if (changed.length > 0) await replaceDocuments(store, format.kind, changed)
  return replacements.map((replacement) => (replacement ? kindAfter(replacement.before) : 'unchanged'))
}

const oneByOne = <R extends Billed, D extends R>(format: DocumentFormat<R, D>) =>
  rowByRow<R, FoundDocument<D>>({
    lane: ({ user_id }) => user_id,
    find: (rows, { store }) => findStored(format.kind, rows, { store, accepted: nothingAccepted() }),
    columnsIn: ({ before }) => before,
    isStored: ({ row }, { before, owner_id }) => before?.owner_id === owner_id && isStoredRow(row, before),
    write: async (entry, found, { store }) => {
      const replacement = replacementOf(format, entry, found)
      if (replacement) await replaceDocuments(store, format.kind, [replacement])
      return replacement ? 'written' : 'unchanged'
    },
    obstacle: async (row, world) => {
      await dropStalePointer(world.store, format.kind, row.id)
      return deletedReference(row, world, format.kind.requires)
    },
  })

export const paymentsFile = documentFile<Payment, Payment>({
  columns: paymentColumns,
  kind: payments,
  stored: (row) => row,
})

export const creditNotesFile = documentFile<CreditNote, CreditNote>({
  columns: creditNoteColumns,
  kind: creditNotes,
  stored: (row) => row,
})
