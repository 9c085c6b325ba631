import type { Store } from '../store.ts'
import { type Change, combined } from './changes.ts'

/** The store of which the first transaction that `isMeant` carries these changes, too. */
export function carrying(
  store: Store,
  isMeant: (changes: readonly Change[]) => boolean,
  besides: readonly Change[],
  onRace: (error: unknown) => never = rethrow,
): Store {
  let carried = besides
  return {
    ...store,
    transact: async (changes) => {
      if (!isMeant(changes)) return store.transact(changes)
      await store.transact(combined([...changes, ...carried])).catch(onRace)
      carried = []
    },
  }
}

const rethrow = (error: unknown): never => {
  throw error
}
