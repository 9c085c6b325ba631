import { ignoreConditionFailed } from '#lib/store/requests/retries.ts'
import { id, rowReader } from './columns.ts'
import { absentOrBelow } from './conditions.ts'
import { idCounterKeys } from './keys.ts'
import type { Store } from './store.ts'

/** What has ids of its own. */
export type Counted = 'device' | 'device_rule' | 'location_rule'

const readCounter = rowReader({ last: id })

/** A new id, never given out before. Throws when the counter gives no number. */
export async function nextId(store: Store, of: Counted): Promise<number> {
  return readCounter(await store.count(idCounterKeys.item(of), { add: { last: 1 } })).last
}

/** No new id will be this one or below. Never goes back; costs a read only where the counter is there already. */
export async function advanceIds(store: Store, of: Counted, last: number): Promise<void> {
  const counter = await store.get(idCounterKeys.item(of))
  if (counter && Number(counter['last']) >= last) return
  await store
    .update(idCounterKeys.item(of), { set: { last } }, { last: absentOrBelow(last) })
    .catch(ignoreConditionFailed)
}
