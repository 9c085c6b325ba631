import {
  type Assigned,
  TARGETS,
  type Target,
  type TargetOwner,
} from '#lib/domain/location-rules/location-rule-targets.ts'
import { id, rowReader } from '#lib/store/columns.ts'
import { accountOf } from '#lib/store/devices/device.ts'
import type { Item } from '#lib/store/items.ts'
import { deviceKey, didKey, type Key, lcrKey, locationGroupKey, tariffKey } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

const readOwner = rowReader({ owner_id: id })
const readDeviceOwner = rowReader({ owner_id: id, user_id: id })

/** A device is its account's, everything else its owner's. */
const ownerOf = (target: Target, item: Item): TargetOwner =>
  target === 'device_id' ? accountOf(readDeviceOwner(item)) : readOwner(item)

// Keys

export const KEYS_OF_TARGETS: Readonly<Record<Target, (id: number) => Key>> = {
  lcr_id: lcrKey,
  tariff_id: tariffKey,
  did_id: didKey,
  device_id: deviceKey,
  location_group_id: locationGroupKey,
}

// Access patterns

/** Whose the objects are that a rule shall use, in the order of TARGETS, looked up at once. */
export async function findTargets(
  store: Store,
  assigned: Assigned,
): Promise<[target: Target, owner: TargetOwner | undefined][]> {
  const named = TARGETS.flatMap((target) => {
    const targetId = assigned[target]
    return typeof targetId === 'number' ? [{ target, key: KEYS_OF_TARGETS[target](targetId) }] : []
  })
  const items = await store.getMany(named.map(({ key }) => key))
  return named.map(({ target }, position) => {
    const item = items[position]
    return [target, item && ownerOf(target, item)]
  })
}
