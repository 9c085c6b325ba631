import type { Item } from '#lib/table/items.ts'
import { isSameKey, type Key, keyText } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { settingsKey } from './stored-settings.ts'

/** A key to read, and whether its item may be up to a second old. */
export interface WantedItem {
  readonly key: Key
  readonly mayBeRecent?: boolean | undefined
}

/** Reads items in the order of their keys, in at most one round trip. */
export type ReadItems = (
  store: Pick<Store, 'getMany'>,
  wanted: readonly WantedItem[],
) => Promise<(Item | undefined)[]>

/** Reads every item from the table. */
export const readFresh: ReadItems = (store, wanted) => store.getMany(wanted.map(({ key }) => key))

/**
 * Reads only the items that are not in memory. A missing item is not remembered: unknown usernames take no
 * memory, and a new account can call at once.
 */
export function rememberingReader(clock: () => Date): ReadItems {
  const memory = createMemory<string, Item>(REMEMBERED_MS, MAX_ITEMS)
  return async (store, wanted) => {
    const now = clock().getTime()
    const remembered = wanted.map(({ key, mayBeRecent }) =>
      mayBeRecent ? memory.find(keyText(key), now) : undefined,
    )
    const missing = wanted.filter((_, index) => !remembered[index])
    const found = await readFresh(store, missing)
    for (const [index, { key, mayBeRecent }] of missing.entries()) {
      const item = found[index]
      if (item && mayBeRecent) memory.keep(keyText(key), item, now)
    }
    const rest = found.values()
    return remembered.map((item) => item ?? rest.next().value)
  }
}

/** Reads settings through `readItems`: a consumer reads them in several places for each batch. */
export const withRecentSettings = (store: Store, readItems: ReadItems): Store => ({
  ...store,
  get: async (key) =>
    isSameKey(key, settingsKey) ? (await readItems(store, [{ key, mayBeRecent: true }]))[0] : store.get(key),
})

/** A change holds after this time in every Lambda (wire.md 2). */
export const REMEMBERED_MS = 1000

const MAX_ITEMS = 1000

/**
 * Holds values for a time, at most `max` of them: the least recently used one goes first. Times are the wall
 * clock's, in milliseconds, because a monotonic clock may stand still while a Lambda is frozen. A value from
 * the future, which a clock that is set back leaves behind, is not used.
 */
export function createMemory<K, V>(keptMs: number, max: number) {
  /** In the order of their last use. The time is a moment before the value was read. */
  const kept = new Map<K, { readonly value: V; readonly readAt: number }>()
  const isRecent = (age: number) => age >= 0 && age < keptMs

  return {
    find(key: K, now: number): V | undefined {
      const found = kept.get(key)
      if (!found) return undefined
      kept.delete(key)
      if (!isRecent(now - found.readAt)) return undefined
      kept.set(key, found)
      return found.value
    },

    keep(key: K, value: V, readAt: number): void {
      kept.set(key, { value, readAt })
      const [oldest] = kept.keys()
      if (kept.size > max && oldest !== undefined) kept.delete(oldest)
    },
  }
}
