import { absent, absentOrBelow, absentOrIs, type Conditions, is, present } from '#lib/store/conditions.ts'
import { accountKeys, deviceKeys, type Key } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'
import { type Device, type DeviceRoom, type ListedDevice, listedColumns } from './device.ts'
import { changedClaims } from './device-claims.ts'

// Keys

/** The device's copy in its customer's list. */
export const listItem = (device: Device) => ({
  ...deviceKeys.listed(device.user_id, device.id),
  ...Object.fromEntries(Object.keys(listedColumns).map((name) => [name, device[name as keyof ListedDevice]])),
})

// Access patterns

/** What was read before a device is created, and must still hold when it is written. */
export interface BeforeCreation {
  /** How many devices the customer has; only that there is none must stay true, since the first one is its primary one. */
  readonly device_count: number
  /** `undefined` where the installation may have any number. */
  readonly room: DeviceRoom | undefined
}

/**
 * Everything about a new device in one transaction, in which its account still has the owner that the device has. Throws
 * ConditionFailed when the world has moved meanwhile.
 */
export async function createDevice(store: Store, device: Device, before: BeforeCreation): Promise<void> {
  await store.transact([
    { put: { ...deviceKeys.item(device.id), ...device }, when: { PK: absent } },
    { put: listItem(device) },
    countedForUser(device, 1, {
      owner_id: is(device.owner_id),
      ...(before.device_count === 0 && { device_count: absentOrIs(0) }),
    }),
    countedForLicense(device, before),
    ...(await changedClaims(store, undefined, device)),
  ])
}

/** What the checks of a change have looked at, and what must therefore be as it was. */
const RELIED_ON = ['user_id', 'owner_id', 'name', 'extension', 'authentication', 'host', 'ipaddr'] as const

/**
 * Changes some columns of a device. What is not changed may change meanwhile, but for what the checks relied on: that is
 * `RELIED_ON` and `alsoReliedOn`. Throws ConditionFailed when it has.
 */
export async function changeDevice(
  store: Store,
  before: Device,
  { columns, alsoReliedOn = [] }: DeviceChange,
): Promise<void> {
  const reliedOn = [...RELIED_ON, ...alsoReliedOn].map((column) => [column, is(before[column])] as const)
  const listed = Object.entries(columns).filter(([name]) => name in listedColumns)
  await store.transact([
    {
      update: deviceKeys.item(before.id),
      to: { set: columns, add: { version: 1 } },
      when: Object.fromEntries(reliedOn),
    },
    ...(listed.length > 0 ? [listedChange(before, Object.fromEntries(listed))] : []),
    ...(await changedClaims(store, before, { ...before, ...columns })),
  ])
}

/** A change of some columns of a device that is there. */
export interface DeviceChange {
  readonly columns: Partial<Device>
  readonly alsoReliedOn?: readonly (keyof Device)[]
}

const listedChange = ({ user_id, id }: Device, set: Readonly<Record<string, unknown>>): Change => ({
  update: deviceKeys.listed(user_id, id),
  to: { set },
  when: { PK: present },
})

/** The device as it shall be; it must be at the version that was read. Throws ConditionFailed otherwise. */
export async function updateDevice(store: Store, before: Device, after: Device): Promise<void> {
  const device = { ...after, version: before.version + 1 }
  await store.transact([
    { put: { ...deviceKeys.item(device.id), ...device }, when: { version: is(before.version) } },
    { put: listItem(device) },
    ...(before.user_id === device.user_id ? [] : movedToItsUser(before, device)),
    ...(await changedClaims(store, before, device)),
  ])
}

/** The list copy and the count of a device that goes from one account to another. */
const movedToItsUser = (before: Device, after: Device): Change[] => [
  { remove: deviceKeys.listed(before.user_id, before.id) },
  countedForUser(before, -1),
  countedForUser(after, 1, { owner_id: is(after.owner_id) }),
]

/** For the transaction that deletes the device: it must be as it was read. */
export const deviceRemovals = (device: Device): Change[] => [
  {
    remove: deviceKeys.item(device.id),
    when: { version: is(device.version), did_count: is(0), location_rule_count: is(0) },
  },
  { remove: deviceKeys.listed(device.user_id, device.id) },
  countedForUser(device, -1),
  { update: counterOf(device), to: { add: { devices: -1 } } },
]

const countedForUser = ({ user_id }: Device, by: number, when: Conditions = {}): Change => ({
  update: accountKeys.item(user_id),
  to: { add: { device_count: by } },
  when,
})

/**
 * Where the number of devices is limited, creations meet at one counter, which must stay below what the others leave of the
 * limit. Otherwise each device has one of several, so that creations at the same moment do not conflict.
 */
const countedForLicense = (device: Device, { room }: BeforeCreation): Change => ({
  update: room ? deviceKeys.counter(0) : counterOf(device),
  to: { add: { devices: 1 } },
  when: room ? { devices: absentOrBelow(room.counterBelow) } : {},
})

const COUNTERS = 16

const counterOf = ({ id }: Device): Key => deviceKeys.counter(id % COUNTERS)
