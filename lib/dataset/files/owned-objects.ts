import { currencyProblems } from '#lib/dataset/format/currencies.ts'
import type { Accepted, ImportWorld } from '#lib/dataset/format/import-world.ts'
import { referenceProblems } from '#lib/dataset/format/references.ts'
import { byId, itself, replacing, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { Entry, RowFormat } from '#lib/dataset/format/row-format.ts'
import type { Columns, Imported } from '#lib/store/columns.ts'
import { type lcrs, type OwnedObject, ownedObjectColumns } from '#lib/store/location-rules/owned-object.ts'
import type { Store } from '#lib/store/store.ts'

/** Rows that stand by themselves under their id, and belong to an owner. */
interface OwnedRows<R, Stored> {
  readonly columns: Columns
  /** Where later files look up which of them this dataset brings. */
  readonly accepted: (accepted: Accepted) => Set<number>
  /** Whether rows name a currency. */
  readonly inCurrencies?: true
  readonly find: (store: Store, ids: readonly number[]) => Promise<readonly (Stored | undefined)[]>
  readonly replace: (
    world: ImportWorld,
    row: R & { readonly digest: string },
    before: Stored | undefined,
  ) => Promise<void>
}

export const ownedRows = <
  R extends { readonly id: number; readonly owner_id: number },
  Stored extends Imported<Partial<R>>,
>({
  columns,
  accepted,
  inCurrencies,
  find,
  replace,
}: OwnedRows<R, Stored>): RowFormat<R> => ({
  columns,
  claims: ({ id }) => [`id ${id}`],
  check: async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const owners = await referenceProblems(world, rows, { owner_id: 'owner' })
    const currencies = inCurrencies ? await currencyProblems(world, entries.map(givenCurrency)) : []
    const problems = rows.map((_, position) => owners[position] ?? currencies[position])
    for (const [position, { id }] of rows.entries()) {
      if (problems[position] === undefined) accepted(world.accepted).add(id)
    }
    return problems
  },
  ...rowByRow<R, Stored | undefined>({
    lane: ({ id }) => id,
    find: byId(find),
    columnsIn: itself,
    write: replacing(replace),
  }),
})

/** What is kept was accepted once. */
const givenCurrency = ({ row, kept }: Entry<object>): string | undefined =>
  'currency' in row && !kept.includes('currency') ? String(row.currency) : undefined

interface NamedObjects {
  readonly accepted: (accepted: Accepted) => Set<number>
  readonly stored: typeof lcrs
}

/** A file of objects that are a name and an owner. */
export const ownedObjects = ({ accepted, stored }: NamedObjects): RowFormat<OwnedObject> =>
  ownedRows({
    columns: ownedObjectColumns,
    accepted,
    find: stored.findMany,
    replace: ({ store }, object) => stored.replace(store, object),
  })
