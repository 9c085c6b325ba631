import { isName } from '#lib/domain/calls/switch-names.ts'
import { digitsOf } from '#lib/domain/rates/rating.ts'
import {
  type Imported,
  id,
  importedReader,
  optionalId,
  type Row,
  requiredText,
  rowReader,
} from '#lib/store/columns.ts'
import { absent, absentOrIs, type Conditions, is } from '#lib/store/conditions.ts'
import { defineEntity } from '#lib/store/entity.ts'
import { didKeys, type Key } from '#lib/store/keys.ts'
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

const readPointer = rowReader({ did_id: id })

// Keys

/** Where its digits lead to it; a DID without any is dialled by nobody. */
export const numberKeysOf = ({ did }: Pick<Did, 'did'>): Key[] =>
  [digitsOf(did)].filter(isName).map(didKeys.numbered)

// Access patterns

export const { findMany: findDids } = defineEntity({ key: didKeys.item, read: importedReader(didColumns) })

/** The ids of the DIDs with these numbers, each in digits, in their order. */
export async function findIdsOfDids(
  store: Store,
  numbers: readonly string[],
): Promise<(number | undefined)[]> {
  const pointers = await store.getMany(numbers.map(didKeys.numbered))
  return pointers.map((pointer) => pointer && readPointer(pointer).did_id)
}

/**
 * The DID in place of what was read. Throws ConditionFailed when that has changed, the new device is not there, or another
 * DID has the number.
 */
export const replaceDid = (store: Store, before: Did | undefined, after: Did): Promise<void> =>
  store.transact([
    { put: { ...didKeys.item(after.id), ...after }, when: asRead(before) },
    ...(before?.device_id === after.device_id ? [] : movedToItsDevice(before, after)),
    ...(before && digitsOf(before.did) !== digitsOf(after.did) ? numberKeysOf(before) : []).map(
      (remove): Change => ({ remove, when: { did_id: absentOrIs(after.id) } }),
    ),
    ...numberKeysOf(after).map(
      (key): Change => ({ put: { ...key, did_id: after.id }, when: { did_id: absentOrIs(after.id) } }),
    ),
  ])

const asRead = (before: Did | undefined): Conditions => {
  if (!before) return { PK: absent }
  return { device_id: before.device_id === undefined ? absent : is(before.device_id) }
}

const movedToItsDevice = (before: Did | undefined, after: Did): Change[] => [
  ...(before?.device_id === undefined ? [] : [didCountedOn(before.device_id, -1)]),
  ...(after.device_id === undefined ? [] : [didCountedOn(after.device_id, 1)]),
]
