import { idCounterKey } from '../keys.ts'
import type { Store } from '../store.ts'

/** What has ids of its own. */
export type Counted = 'device' | 'device_rule'

/** A new id, never given out before. */
export async function nextId(store: Store, of: Counted): Promise<number> {
  const { last } = await store.update(idCounterKey(of), { add: { last: 1 } })
  return last as number
}
