import * as v from 'valibot'
import { DAY_SECONDS, type Seconds } from '#lib/domain/calendar.ts'
import type { CallIdentity } from '#lib/domain/calls/call-identity.ts'
import { slices } from '#lib/domain/collections.ts'
import type { Item } from '#lib/store/items.ts'
import { keyForm } from '#lib/store/keys.ts'
import { ITEMS_IN_ONE_WRITE } from '#lib/store/requests/batches.ts'
import type { Store } from '#lib/store/store.ts'

// Keys

/** Calls that were stored before the call whose id they name as their linked id. */
export const linkedCallKey = keyForm('LINKED#<source>', '<user_id>#<number>#<linkedid>')

/** What several CDRs of one call have in common. */
export interface LinkedName {
  readonly source: string
  readonly user_id: number
  /** The digits that are rated. */
  readonly number: string
  readonly linkedid: string
}

// Shape

const schema = v.object({ uniqueid: v.string(), source_part: v.optional(v.string()) })

const KEPT_SECONDS = 7 * DAY_SECONDS

// Access patterns

/** Tells whether a switch has any such call: that saves a read for each of its CDRs. */
export async function hasLinkedCalls(store: Store, source: string): Promise<boolean> {
  const pages = store.pages({ partition: linkedCallKey.partition(source), pageSize: 1 })
  for await (const page of pages) return page.length > 0
  return false
}

/** The identities of the calls with these names, in their order. */
export async function findLinkedCalls(
  store: Store,
  names: readonly LinkedName[],
): Promise<(CallIdentity | undefined)[]> {
  const items = await store.getMany(names.map((name) => linkedCallKey.of({ ...name })))
  return items.map((item, index) => item && identityIn(item, names[index]))
}

const identityIn = (item: Item, name: LinkedName | undefined): CallIdentity => ({
  ...v.parse(schema, item),
  source: name?.source,
})

export async function putLinkedCalls(
  store: Store,
  calls: readonly (readonly [LinkedName, CallIdentity])[],
  now: Seconds,
): Promise<void> {
  const items = calls.map(([name, { uniqueid, source_part }]) => ({
    ...linkedCallKey.of({ ...name }),
    uniqueid,
    source_part,
    expires_at: now + KEPT_SECONDS,
  }))
  for (const some of slices(items, ITEMS_IN_ONE_WRITE)) await store.putBatch(some)
}
