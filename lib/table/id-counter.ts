import { id, rowReader } from './columns.ts'
import type { Item } from './items.ts'
import { keyForm } from './keys.ts'
import { absentOrBelow } from './requests/changes.ts'
import { ignoreConditionFailed } from './requests/retries.ts'
import type { Store } from './store.ts'

/** The counter of an entity's ids. */
export const idCounterKey = keyForm('ID#<of>', 'ID')

/** The entities whose ids the API, the console and commands give out. */
export type Counted =
  | 'account'
  | 'device'
  | 'device_rule'
  | 'location_rule'
  | 'tariff'
  | 'provider'
  | 'did'
  | 'service'
  | 'location'

const readCounter = rowReader({ last: id })

/** Returns an id that was never given out, and notes further attributes. Throws if the counter is damaged. */
export async function nextId(store: Store, of: Counted, noted: Item = {}): Promise<number> {
  return readCounter(await store.count(idCounterKey(of), { add: { last: 1 }, set: noted })).last
}

/** Returns the first of `count` consecutive ids that were never given out. */
export const nextIds = async (store: Store, of: Counted, count: number): Promise<number> =>
  readCounter(await store.count(idCounterKey(of), { add: { last: count } })).last - count + 1

/** Ensures that new ids are above `last`. The counter never goes back. One read if it is high enough. */
export async function advanceIds(store: Store, of: Counted, last: number): Promise<void> {
  const counter = await store.get(idCounterKey(of))
  if (counter && Number(counter['last']) >= last) return
  await store
    .update(idCounterKey(of), { set: { last } }, { last: absentOrBelow(last) })
    .catch(ignoreConditionFailed)
}
