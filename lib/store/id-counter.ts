import { keyForm } from '#lib/store/keys.ts'
import { ignoreConditionFailed } from '#lib/store/requests/retries.ts'
import { id, rowReader } from './columns.ts'
import { absentOrBelow } from './requests/changes.ts'
import type { Store } from './store.ts'

// Keys

/** The counter of the ids of an entity. */
export const idCounterKey = keyForm('ID#<of>', 'ID')

/** What has ids of its own. */
export type Counted = 'device' | 'device_rule' | 'location_rule'

const readCounter = rowReader({ last: id })

/** A new id, never given out before. Throws when the counter gives no number. */
export async function nextId(store: Store, of: Counted): Promise<number> {
  return readCounter(await store.count(idCounterKey(of), { add: { last: 1 } })).last
}

/** No new id will be this one or below. Never goes back; costs a read only where the counter is there already. */
export async function advanceIds(store: Store, of: Counted, last: number): Promise<void> {
  const counter = await store.get(idCounterKey(of))
  if (counter && Number(counter['last']) >= last) return
  await store
    .update(idCounterKey(of), { set: { last } }, { last: absentOrBelow(last) })
    .catch(ignoreConditionFailed)
}
