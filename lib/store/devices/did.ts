import type { Change } from '#lib/store/changes.ts'
import { digest, id, optionalId, type Row, requiredText, rowReader } from '#lib/store/columns.ts'
import { absent, type Conditions, is } from '#lib/store/conditions.ts'
import { didKey } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { didCountedOn } from './device.ts'

// Shape

export const didColumns = {
  id,
  /** The number itself. */
  did: requiredText,
  owner_id: id,
  user_id: optionalId,
  device_id: optionalId,
}

export type Did = Row<typeof didColumns> & { readonly digest?: string | undefined }

const readDid = rowReader({ ...didColumns, digest })

// Access patterns

/** In the order of the ids. */
export async function findDids(store: Store, ids: readonly number[]): Promise<(Did | undefined)[]> {
  return (await store.getMany(ids.map(didKey))).map((item) => item && readDid(item))
}

/** The DID in place of what was read. Throws ConditionFailed when that has changed or the new device is not there. */
export const replaceDid = (store: Store, before: Did | undefined, after: Did): Promise<void> =>
  store.transact([
    { put: { ...didKey(after.id), ...after }, when: asRead(before) },
    ...(before?.device_id === after.device_id ? [] : movedToItsDevice(before, after)),
  ])

const asRead = (before: Did | undefined): Conditions => {
  if (!before) return { PK: absent }
  return { device_id: before.device_id === undefined ? absent : is(before.device_id) }
}

const movedToItsDevice = (before: Did | undefined, after: Did): Change[] => [
  ...(before?.device_id === undefined ? [] : [didCountedOn(before.device_id, -1)]),
  ...(after.device_id === undefined ? [] : [didCountedOn(after.device_id, 1)]),
]
