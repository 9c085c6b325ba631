import type { Money } from '#lib/base/money.ts'
import { type Columns, type Imported, type Row, storedReader, withoutLaterDefaults } from './columns.ts'
import type { Item } from './items.ts'
import { type Key, type KeyForm, listedIn, nowhere } from './keys.ts'
import type { Consistency } from './requests/batches.ts'
import type { Change } from './requests/changes.ts'
import type { Store } from './store.ts'

/** A row as the table holds it. Every change raises the version; a write names the version that it read. */
export type Stored<R> = Imported<R> & { readonly version: number }

/** Declares items that follow from a row. Each holds the values of the row's key, and so leads back to it. */
export interface Entry<R> {
  readonly key: KeyForm
  /** The values of each key; without this, there is one key, of the columns of the row. */
  of?(row: R): readonly Item[]
  /** Attributes besides those of the row's key. `own` are the values of this entry that `of` returned. */
  holds?(row: R, own: Item): Item
  /** The first format whose tables have all these entries; a migration adds them to older ones. */
  readonly since?: number
}

/** A column that names a row of another entity, or is undefined. */
export interface Requirement {
  readonly column: string
  /** The key of the rows that the column names. */
  readonly names: KeyForm
  /** The attribute there that counts the rows which name it. */
  readonly counted?: string
  /** Columns in which both rows agree. Every write of other values checks that. */
  readonly same?: readonly string[]
  /** The columns agree only when the row is made, and need not if it continues an earlier one. */
  readonly sameOnceUnless?: (row: Item) => boolean
  /** The column names an account that owns customers. */
  readonly isOwner?: true
  /** The named row may be deleted while it is named. */
  readonly mayGo?: true
}

/** Amounts that a row adds to attributes of another item, in the transaction that writes the row. */
export interface Booking<R> {
  /** The first format whose tables have all of them; 1 by default. */
  readonly since?: number
  item(row: R): Key
  /** By the names of attributes. */
  amounts(row: R): Readonly<Record<string, Money>>
  /** Removes the old row's entries and adds the new row's. Unchanged entries are not written. */
  changes(before: R | undefined, after: R | undefined): readonly Change[]
}

/** The part of rows in a journal. Each change of a row adds the difference, in its transaction. */
export interface Posting<R> {
  /** The key of an entry that has no number yet. */
  readonly key: KeyForm
  changes(before: Stored<R> | undefined, after: R | undefined): readonly Change[]
  /** The sums that all entries of the row have, by names that no other row has. */
  totals(row: R): readonly (readonly [total: string, amount: Money])[]
}

/** Columns of a row that change often and have an item of their own, so that the row's item stays. */
interface Beside<R> {
  readonly key: KeyForm
  /** The changes of that item. They also protect the row: each change of the row changes that item. */
  changes(before: Stored<R> | undefined, after: R | undefined): readonly Change[]
  /** The row as its own item has it. */
  own(row: Stored<R>): Stored<R>
  /** Whether the row's own item stays as it is. */
  isSameItem(before: Stored<R>, after: R): boolean
}

/** An entity as data, from which `defineEntity` derives its behaviour. */
export interface Declaration<C extends Columns> {
  /** The noun in sentences about it. */
  readonly name: string
  /** Every column of a row that is stored, counters included. */
  readonly columns: C
  readonly key: KeyForm
  /** The entry that leads from the id to the row, where the key holds more than the id. */
  readonly pointer?: KeyForm
  /** Values that keys name although they are not columns. */
  computed?(row: Row<C>): Item
  /** Plain items, the default, have an attribute for each column. packed-row.ts has packed ones. */
  readonly items?: (columns: C) => Items<Row<C>>
  /** Its key in the list that shows it, in GSI1. */
  readonly list?: KeyForm
  /** The first format whose tables list every row under this key; 1 by default. */
  readonly listedSince?: number
  /** Keys that only one row may hold. */
  readonly claims?: readonly Entry<Row<C>>[]
  /** Further items that show the row, such as its entry in a list. */
  readonly copies?: readonly Entry<Row<C>>[]
  readonly requires?: readonly Requirement[]
  /** Sums to which the row adds. A change of the row adds the difference. */
  readonly books?: readonly Booking<Row<C>>[]
  readonly posts?: readonly Posting<Row<C>>[]
  /** The item has attributes that are not columns. A change of the row keeps them. */
  readonly isShared?: true
}

/** An entity as code sees it that works on all entities. */
export interface Entity<R = Item> {
  readonly name: string
  readonly columns: Columns
  readonly key: KeyForm
  readonly pointer: KeyForm | undefined
  readonly list: KeyForm | undefined
  readonly listedSince: number
  readonly claims: readonly Entry<R>[]
  readonly copies: readonly Entry<R>[]
  readonly requires: readonly Requirement[]
  readonly books: readonly Booking<R>[]
  readonly posts: readonly Posting<R>[]
  readonly isShared: boolean
  readonly beside?: Beside<R>
  /** The row with the values that keys name. */
  valuesOf(row: R): Item
  /** Reads an item. Throws if it does not fit; of a packed row only layout and cell count are checked. */
  read(item: Item): Stored<R>
  /** Reads an item and checks every column. */
  check(item: Item): Stored<R>
  /** The attributes of an item besides its keys. */
  toItem(row: Stored<R>): Item
  find(store: Store, id: Id): Promise<Stored<R> | undefined>
  /** In the order of the ids. One round trip for up to 100 of them, two if pointers lead to the rows. */
  findMany(store: Store, ids: readonly Id[]): Promise<(Stored<R> | undefined)[]>
}

type Id = number | string

/**
 * Derives how rows are read and written. A bundle leaves out an entity that its function does not use.
 *
 * @example
 * const vouchers = defineEntity({
 *   name: 'voucher',
 *   columns: { id, owner_id: id, code: requiredText, amount: money('0') },
 *   key: keyForm('VOUCHER#<id>', 'VOUCHER'),
 *   list: keyForm('VOUCHERS#<owner_id>', '<id>'),
 *   claims: [{ key: keyForm('VOUCHERCODE#<code>', 'CLAIM') }],
 *   requires: [requiresOwner],
 * })
 * const findVoucher = (store: Store) => vouchers.find(store, 7)
 *
 * @__NO_SIDE_EFFECTS__
 */
export function defineEntity<const C extends Columns>(declaration: Declaration<C>): Entity<Row<C>> {
  const { columns, key, pointer, copies = [] } = declaration
  const items = (declaration.items ?? plainItems)(columns)
  const findMany: Entity<Row<C>>['findMany'] = async (store, ids) => {
    const found = await store.getMany(ids.map((id) => (pointer ?? key)(id)))
    if (!pointer) return found.map((item) => item && items.read(item))
    const keys = found.map((item) => (item ? key.of(item) : nowhere))
    return readMany(store, keys, items.read)
  }
  return {
    ...DEFAULTS,
    ...declaration,
    copies: pointer ? [...copies, { key: pointer }] : copies,
    valuesOf: (row) => ({ ...row, ...declaration.computed?.(row) }),
    ...items,
    findMany,
    find: async (store, id) => (await findMany(store, [id]))[0],
  }
}

const DEFAULTS = {
  pointer: undefined,
  list: undefined,
  listedSince: 1,
  claims: [],
  requires: [],
  books: [],
  posts: [],
  isShared: false,
}

/** Converts items to rows and back. */
export type Items<R> = Pick<Entity<R>, 'read' | 'check' | 'toItem'>

function plainItems<C extends Columns>(columns: C): Items<Row<C>> {
  const read = storedReader(columns)
  const names = [...Object.keys(columns), 'digest', 'version']
  return { read, check: read, toItem: (row) => withoutLaterDefaults(columns, picked(row, names)) }
}

export const picked = <R extends Item, N extends keyof R & string>(row: R, names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<R, N>

export const keyOfRow = <R>({ key, valuesOf }: Entity<R>, row: R): Key => key.of(valuesOf(row))

/** The column that distinguishes the rows of an entity. Every entry holds it. */
export const idColumnOf = ({ pointer, key }: Pick<Entity, 'pointer' | 'key'>): string =>
  (pointer ?? key).names[0] ?? ''

export function placesOf<R>({ list, valuesOf }: Entity<R>, row: R): Item {
  if (!list) return {}
  return listedIn('GSI1', list.of(valuesOf(row)))
}

/** The claims or copies of a row. */
export function entriesOf<R>(
  { key, valuesOf }: Entity<R>,
  entries: readonly Entry<R>[],
  row: R,
): readonly (Key & Item)[] {
  const values = valuesOf(row)
  const leadingBack = Object.fromEntries(key.names.map((name) => [name, values[name]]))
  return entries.flatMap((entry) =>
    (entry.of?.(row) ?? [{}]).map((own) => ({
      ...entry.key.of({ ...values, ...own }),
      ...leadingBack,
      ...entry.holds?.(row, own),
    })),
  )
}

/** Reads the rows of the keys, in their order. One round trip for up to 100 of them. */
export const readMany = async <T>(
  store: Store,
  keys: readonly Key[],
  read: (item: Item) => T,
  consistency?: Consistency,
): Promise<(T | undefined)[]> => (await store.getMany(keys, consistency)).map((item) => item && read(item))

/** Finds the row that a pointer leads to. One round trip. */
export const findAt = async <R>(
  store: Store,
  { key, read }: Pick<Entity<R>, 'key' | 'read'>,
  pointer: Item | undefined,
): Promise<Stored<R> | undefined> => pointer && (await readMany(store, [key.of(pointer)], read))[0]

/** Finds rows by id, for rows of a list that refer to them. */
export type RowLookup<T> = (ids: Iterable<number | undefined>) => Promise<ReadonlyMap<number, T>>

/** Creates a lookup that reads each distinct id once, and all new ids of a call together. */
export function batchedLookup<T>(
  find: (ids: readonly number[]) => Promise<readonly (T | undefined)[]>,
): RowLookup<T> {
  const known = new Map<number, T>()
  const asked = new Set<number>()

  return async (ids) => {
    const missing = [...new Set(ids)].filter((id): id is number => id !== undefined && !asked.has(id))
    const found = await find(missing)
    for (const [index, id] of missing.entries()) {
      asked.add(id)
      const one = found[index]
      if (one !== undefined) known.set(id, one)
    }
    return known
  }
}
