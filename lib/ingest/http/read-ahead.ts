import { createMemory } from '#lib/settings/recent-items.ts'
import type { Item } from '#lib/table/items.ts'
import { type Key, keyText } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

const REMEMBERED_KEYS_MS = 3_600_000
const MAX_SENDERS = 5000
const MAX_KEYS_OF_A_SENDER = 32

/** A store that reads guessed items with its first request. */
export interface StoreAhead {
  readonly store: Store
  /** Reads these items and the guessed ones. Nothing else is read before. */
  begin(keys: readonly Key[]): Promise<void>
  /** Remembers the keys for the next request. */
  end(): void
}

interface Guesses {
  /** Returns whether the next request of a sender will ask for this key. */
  isRepeated(key: Key, found: Item | undefined): boolean
  /** The keys to which an item leads: a request of a new sender reads them with its next items. */
  leadsTo(found: Item): readonly Key[]
}

/**
 * Guesses the keys of a request: those that its sender's last request asked for, and `further` ones of its
 * own; for the first request of a process also the `first` ones. A wrong guess costs units and changes no
 * answer, because only keys are remembered. The store gives out an item that it read ahead once, and none
 * after a write.
 */
export function createReadAhead({ isRepeated, leadsTo }: Guesses) {
  const memory = createMemory<string, readonly Key[]>(REMEMBERED_KEYS_MS, MAX_SENDERS)
  let isFirst = true

  return (
    store: Store,
    sender: string,
    now: Date,
    { further, first }: Readonly<Record<'further' | 'first', readonly Key[]>>,
  ): StoreAhead => {
    const remembered = memory.find(sender, now.getTime())
    const ahead = new Map<string, Item | undefined>()
    const guesses = new Map<string, Key>()
    const leads: Key[] = []
    const taken = (name: string) => {
      const item = ahead.get(name)
      return ahead.delete(name) && { item }
    }
    const readWith = async (guessed: readonly Key[], keys: readonly Key[]) => {
      const items = await store.getMany([...keys, ...guessed])
      for (const [index, key] of guessed.entries()) ahead.set(keyText(key), items[keys.length + index])
      return items
    }
    const note = (key: Key, item: Item | undefined) => {
      if (isRepeated(key, item)) guesses.set(keyText(key), key)
      if (item && !remembered) leads.push(...leadsTo(item).filter((one) => !guesses.has(keyText(one))))
    }
    const getMany: Store['getMany'] = async (keys) => {
      const known = keys.map((key) => taken(keyText(key)))
      const missing = keys.filter((_, index) => !known[index])
      const read = (await readWith(missing.length > 0 ? leads.splice(0) : [], missing)).values()
      const items = known.map((one) => (one ? one.item : read.next().value))
      for (const [index, key] of keys.entries()) note(key, items[index])
      return items
    }
    const forgetting = <A extends unknown[], R>(write: (...given: A) => R) => {
      return (...given: A): R => {
        ahead.clear()
        return write(...given)
      }
    }
    return {
      store: {
        ...store,
        getMany,
        get: async (key) => (await getMany([key]))[0],
        update: forgetting(store.update),
        transact: forgetting(store.transact),
      },
      begin: async (keys) => {
        await readWith(remembered || isFirst ? [...(remembered ?? first), ...further] : [], keys)
        isFirst = false
      },
      end: () => {
        for (const key of further) guesses.delete(keyText(key))
        const keys = [...guesses.values()].slice(0, MAX_KEYS_OF_A_SENDER)
        memory.keep(sender, keys, now.getTime())
      },
    }
  }
}
