import type { Item } from '#lib/store/items.ts'
import { type Key, nowhere } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

/** What stands under a key of its own. */
interface Definition<Id, Row> {
  readonly key: (id: Id) => Key
  readonly read: (item: Item) => Row
}

/** How one is found by its id; `findMany` answers in the order of the ids, in one round trip for up to 100 of them. */
export function defineEntity<Id, Row>({ key, read }: Definition<Id, Row>) {
  const findMany = async (store: Store, ids: readonly Id[]): Promise<(Row | undefined)[]> => {
    const items = await store.getMany(ids.map((id) => key(id)))
    return items.map((item) => item && read(item))
  }
  const find = async (store: Store, id: Id): Promise<Row | undefined> => (await findMany(store, [id]))[0]
  return { find, findMany }
}

/**
 * Puts a row, as a dataset brings it, in place of what was there. Only for rows that stand by themselves: nothing copies,
 * counts or points at them.
 */
export const replacer =
  <Row extends object>(keysOf: (row: Row) => Key) =>
  (store: Store, row: Row): Promise<void> =>
    store.transact([{ put: { ...keysOf(row), ...row } }])

/** Rows that are known by an id, but stand elsewhere: the id's pointer says where. */
interface Pointed<Id, Row> {
  readonly pointer: (id: Id) => Key
  readonly target: (pointer: Item, id: Id) => Key
  readonly read: (item: Item) => Row
}

/**
 * Finds rows in the order of the ids: one round trip for the pointers, one for the rows. A pointer that is not there names
 * nothing.
 */
export async function followPointers<Id, Row>(
  store: Store,
  ids: readonly Id[],
  { pointer, target, read }: Pointed<Id, Row>,
): Promise<(Row | undefined)[]> {
  const pointers = await store.getMany(ids.map((id) => pointer(id)))
  const keys = ids.map((id, position) => {
    const found = pointers[position]
    return found ? target(found, id) : nowhere
  })
  return (await store.getMany(keys)).map((item) => item && read(item))
}

type Found<T> = ReadonlyMap<number, T>

/** Finds by id what rows of a list refer to. */
export type Lookup<T> = (ids: Iterable<number | undefined>) => Promise<Found<T>>

/** Remembers what it has found: however long a list, every distinct id is read once, a batch of them in one go. */
export function createLookup<T>(
  find: (ids: readonly number[]) => Promise<readonly (T | undefined)[]>,
): Lookup<T> {
  const known = new Map<number, T>()
  const asked = new Set<number>()

  return async (ids) => {
    const missing = [...new Set(ids)].filter((id) => id !== undefined && !asked.has(id)) as number[]
    const found = await find(missing)
    for (const [position, id] of missing.entries()) {
      asked.add(id)
      const one = found[position]
      if (one !== undefined) known.set(id, one)
    }
    return known
  }
}
