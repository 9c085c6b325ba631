import * as v from 'valibot'
import { DAY_SECONDS, type Seconds } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { keyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

// Keys

/** Calls of CDRs that name another channel as their call's first, by what they have in common. */
export const linkedCallKey = keyForm('LINKED#<source>', '<user_id>#<number>#<linkedid>#<uniqueid>')

/** The fields that several CDRs of one call share. */
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
export const hasLinkedCalls = async (store: Store, source: string): Promise<boolean> =>
  (await store.firstPage({ partition: linkedCallKey.partition(source), pageSize: 1 })).length > 0

/** The identities of the calls with this name. Some of them may not be stored, or not yet. */
export async function listLinkedCalls(store: Store, name: LinkedName): Promise<CallIdentity[]> {
  const { source, user_id, number, linkedid } = name
  const items = await store.list(linkedCallKey.range(source, user_id, number, linkedid))
  return items.map((item) => ({ ...v.parse(schema, item), source }))
}

export async function putLinkedCalls(
  store: Store,
  calls: readonly (readonly [LinkedName, CallIdentity])[],
  now: Seconds,
): Promise<void> {
  const items = calls.map(([name, { uniqueid, source_part }]) => ({
    ...linkedCallKey.of({ ...name, uniqueid }),
    uniqueid,
    source_part,
    expires_at: now + KEPT_SECONDS,
  }))
  await store.putBatch(items)
}
