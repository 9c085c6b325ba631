import { createMemory, REMEMBERED_MS, rememberingReader } from '#lib/settings/recent-items.ts'
import type { Item } from '#lib/table/items.ts'
import type { Key } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

/** Lists that the memory of a process holds. A page of rates has 8 KB. */
const MAX_LISTS = 500

/** Money, holds and counters are read as they are now. */
const isAlwaysFresh = ({ PK }: Key): boolean => /^(?:HOLDS|BALANCE|STATS)#/.test(PK)

/**
 * A store for decisions that must be quick: what it has read may be a second old, except money and holds. A
 * missing item is not remembered, so a new account or device can call at once.
 */
export function rememberingLookups(clock: () => Date): (store: Store) => Store {
  const readItems = rememberingReader(clock)
  const lists = createMemory<string, readonly Item[]>(REMEMBERED_MS, MAX_LISTS)

  return (store) => {
    const getMany: Store['getMany'] = (keys) =>
      readItems(
        store,
        keys.map((key) => ({ key, mayBeRecent: !isAlwaysFresh(key) })),
      )
    const remembered = async (name: string, read: () => Promise<readonly Item[]>) => {
      const now = clock().getTime()
      const known = lists.find(name, now)
      if (known) return known
      const found = await read()
      lists.keep(name, found, now)
      return found
    }
    return {
      ...store,
      getMany,
      get: async (key) => (await getMany([key]))[0],
      list: async (query) => [...(await remembered(JSON.stringify(query), () => store.list(query)))],
      firstPage: (query) => remembered(`first ${JSON.stringify(query)}`, () => store.firstPage(query)),
    }
  }
}
