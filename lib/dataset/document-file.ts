import type { Columns } from '#lib/store/columns.ts'
import { findAccounts } from '#lib/store/entities/account.ts'
import {
  type Document,
  type DocumentKind,
  findDocuments,
  type Kept,
  replaceDocument,
} from '#lib/store/entities/document.ts'
import type { DatasetFile, Entry, ImportWorld, Reasons } from './file.ts'
import { accountsById } from './references.ts'
import { RowRefused } from './refusals.ts'
import { rowByRow } from './row-by-row.ts'

/** A file of documents: `R` is what a row says, `D` what the table keeps of it. */
interface DocumentFile<R extends Document, D extends Document> {
  readonly columns: Columns
  readonly kind: DocumentKind<D>
  readonly stored: (row: R, before: D | undefined) => D
  /** What a row must be like besides its columns and its account. */
  readonly check?: (entries: readonly Entry<R>[], world: ImportWorld) => Promise<Reasons>
}

interface Found<D> {
  readonly before: (D & Kept) | undefined
  readonly owner_id: number | undefined
}

export function documentFile<R extends Document, D extends Document>(
  format: DocumentFile<R, D>,
): DatasetFile<R> {
  return {
    columns: format.columns,
    claims: ({ id }) => [`id ${id}`],
    check: async (entries, world) => {
      const accounts = await accountsById(
        world,
        entries.map(({ row }) => row.user_id),
      )
      const reasons = (await format.check?.(entries, world)) ?? []
      return entries.map(({ row }, position) =>
        accounts.has(row.user_id) ? reasons[position] : noAccount(row),
      )
    },
    write: rowByRow<R, Found<D>>({
      /** The rows of one account check the same item. */
      lane: ({ user_id }) => user_id,
      find: (rows, { store }) => findStored(format.kind, rows, store),
      write: (entry, found, { store }) => writeDocument(format, { entry, found }, store),
      obstacle: async (row, { store }) => {
        const [account] = await findAccounts(store, [row.user_id])
        return account ? undefined : noAccount(row)
      },
    }),
  }
}

const noAccount = ({ user_id }: Document): string => `user_id: there is no account ${user_id}`

type Store = ImportWorld['store']

async function findStored<D extends Document>(
  kind: DocumentKind<D>,
  rows: readonly Document[],
  store: Store,
): Promise<Found<D>[]> {
  const ids = [...new Set(rows.map(({ user_id }) => user_id))]
  const [stored, accounts] = await Promise.all([
    findDocuments(
      store,
      kind,
      rows.map(({ id }) => id),
    ),
    findAccounts(store, ids),
  ])
  const owners = new Map(accounts.flatMap((account) => (account ? [[account.id, account.owner_id]] : [])))
  return rows.map(({ user_id }, position) => ({ before: stored[position], owner_id: owners.get(user_id) }))
}

async function writeDocument<R extends Document, D extends Document>(
  format: DocumentFile<R, D>,
  { entry: { row, digest }, found }: { entry: Entry<R>; found: Found<D> },
  store: Store,
): Promise<'written' | 'unchanged'> {
  const { before, owner_id } = found
  if (owner_id === undefined) throw new RowRefused(noAccount(row))
  if (before?.digest === digest && before.owner_id === owner_id) return 'unchanged'
  const after = { ...format.stored(row, before), owner_id, digest }
  await replaceDocument(store, format.kind, { before, after })
  return 'written'
}
