import type { AccountType } from '#lib/base/account-types.ts'
import type { Money } from '#lib/base/money.ts'
import { readSettings, type SettingName, type Settings } from '#lib/settings/settings.ts'
import type { Calendar } from '#lib/table/cells/moments.ts'
import type { Item } from '#lib/table/items.ts'
import type { KeyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

/** The table, clock and settings for checking rows of a dataset or records of a queue. */
export interface ImportContext {
  readonly store: Store
  readonly clock: () => Date
  /** The base of dates in cells. */
  readonly calendar: Calendar
  /** Those that the dataset brings replace the stored ones. */
  readonly settings: Settings
  readonly newRows: NewRows
  /** A part of every digest: a row that comes alone is never taken for the row of an earlier import. */
  readonly revision?: number
  /** Set for a record: whether its writer may let a second owner share an address. */
  readonly mayShareAddresses?: boolean
  /** Rows of the table that were named before. It is the same object throughout an import. */
  readonly named: Map<KeyForm, Map<number, NamedRow>>
}

/** The objects of a dataset's checked files. Later rows may refer to them before they are stored. */
export interface NewRows {
  /** Accepted rows by the form of their keys and by their ids. */
  readonly rows: ReadonlyMap<KeyForm, ReadonlyMap<number | string, NamedRow>>
  readonly settings: ReadonlyMap<SettingName, string>
  readonly files: readonly string[]
  /** The lines of the origins of tariffs, by id, that come with a file of origins. */
  readonly origins: ReadonlyMap<number, readonly string[]>
  /** The tariffs whose rates the dataset replaces: their origins come into the same version. */
  readonly ratedTariffs: ReadonlySet<number>
  readonly invoicePrices: ReadonlyMap<number, Money>
  /** The sums of the products of invoices whose products are complete, by id. */
  readonly productSums: ReadonlyMap<number, Money>
}

/** The columns of an account that decide what it can own; blank for a row of another kind. */
export interface NamedRow {
  readonly usertype?: AccountType | undefined
  readonly owner_id?: number | undefined
  /** The id is that of a stored row, and the dataset means another one by it. */
  readonly isOther?: true
}

/** A row that no other row of the dataset may name. */
export const OTHER_ROW: NamedRow = { isOther: true }

/** A row of another kind takes no memory of its own. */
export const toNamedRow = (row: object): NamedRow =>
  'usertype' in row ? { usertype: Object(row).usertype, owner_id: Object(row).owner_id } : NO_COLUMNS

const NO_COLUMNS: NamedRow = {}

/** The part of a context that knows which rows exist. */
export type Known = Pick<ImportContext, 'store' | 'newRows' | 'named'>

/** Only what the table holds now is known. */
export const onlyTable = (store: Store): Known => ({
  store,
  newRows: {
    rows: new Map(),
    settings: new Map(),
    files: [],
    origins: new Map(),
    ratedTariffs: new Set(),
    invoicePrices: new Map(),
    productSums: new Map(),
  },
  named: new Map(),
})

export function contextWith(
  known: Known,
  stored: Item,
  clock: () => Date,
  firstImport: Date = clock(),
): ImportContext {
  const settings = readSettings({ ...stored, ...Object.fromEntries(known.newRows.settings) })
  return { ...known, clock, calendar: { firstImport, zone: settings.Timezone, dialling: settings }, settings }
}

export const addNewRows = (before: NewRows, { rows = new Map(), ...others }: Partial<NewRows>): NewRows => ({
  ...before,
  ...others,
  rows: new Map([...before.rows, ...rows]),
})

/** Returns whether the dataset brings a row with this id. */
export function isNewRow({ newRows }: Pick<Known, 'newRows'>, key: KeyForm, id: number | string): boolean {
  const row = newRows.rows.get(key)?.get(id)
  return row !== undefined && !row.isOther
}

/** A row that the dataset brings, or that the table had when it was named. */
export const knownRow = (
  { newRows, named }: Omit<Known, 'store'>,
  key: KeyForm,
  id: number,
): NamedRow | undefined => newRows.rows.get(key)?.get(id) ?? named.get(key)?.get(id)

/**
 * Tells which ids are neither among these nor in earlier rows of the dataset. A stored name of a row of the
 * dataset does not block others, because the row may get another name.
 */
export function isOutsideDataset(
  ids: readonly (number | string)[],
  context: ImportContext,
  key: KeyForm,
): (id: number) => boolean {
  const own = new Set(ids)
  return (id) => !own.has(id) && !isNewRow(context, key, id)
}
