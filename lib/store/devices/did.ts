import { type Imported, id, importedReader, optionalId, type Row, requiredText } from '#lib/store/columns.ts'
import { absent, type Conditions, is } from '#lib/store/conditions.ts'
import { defineEntity } from '#lib/store/entity.ts'
import { didKeys } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
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

export type Did = Imported<Row<typeof didColumns>>

// Access patterns

export const { findMany: findDids } = defineEntity({ key: didKeys.item, read: importedReader(didColumns) })

/** The DID in place of what was read. Throws ConditionFailed when that has changed or the new device is not there. */
export const replaceDid = (store: Store, before: Did | undefined, after: Did): Promise<void> =>
  store.transact([
    { put: { ...didKeys.item(after.id), ...after }, when: asRead(before) },
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
