import { absentOrBelow, absentOrIs } from '#lib/store/conditions.ts'
import { changesOf } from '#lib/store/entity-changes.ts'
import { accountKey } from '#lib/store/keys.ts'
import { type Change, combined } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'
import { type Device, type DeviceRoom, deviceCounterKey, devices, LIMITED_SHARD } from './device.ts'
import { numberChanges } from './device-claims.ts'

// Access patterns

/** What was read before a device is created, and must still hold when it is written. */
export interface BeforeCreation {
  /** How many devices the customer has. That it has none must stay true, because the first one is its primary device. */
  readonly device_count: number
  /** `undefined` where the installation may have any number of devices. */
  readonly room: DeviceRoom | undefined
}

/** Creates a device in one transaction. Throws ConditionFailed when something that was read before has changed. */
export async function createDevice(
  store: Store,
  device: Device,
  { device_count, room }: BeforeCreation,
): Promise<void> {
  const when = device_count === 0 ? { device_count: absentOrIs(0) } : {}
  await store.transact(
    combined([
      ...changesOf(devices, undefined, device),
      { check: accountKey(device.user_id), when },
      countedForLicense(device, room),
      ...(await numberChanges(store, undefined, device)),
    ]),
  )
}

/** Throws ConditionFailed when the device is not at the version that was read, or a name or number is taken. */
export async function updateDevice(store: Store, before: Device, after: Device): Promise<void> {
  const numbers = await numberChanges(store, before, after)
  await store.transact(combined([...changesOf(devices, before, after), ...numbers]))
}

/**
 * Where the number of devices is limited, creations meet at one counter, which must stay below what the others leave of the
 * limit. Otherwise each device has one of several, so that creations at the same moment do not conflict.
 */
const countedForLicense = (device: Device, room: DeviceRoom | undefined): Change => ({
  update: room ? deviceCounterKey(LIMITED_SHARD) : counterOf(device),
  to: { add: { devices: 1 } },
  when: room ? { devices: absentOrBelow(room.counterBelow) } : {},
})

const SHARDS = 16

/** The part in which an unlimited device is counted. */
export const counterOf = ({ id }: Device) => deviceCounterKey(id % SHARDS)
