import { changesOf } from '#lib/table/entity-changes.ts'
import { accountKey, deviceKey } from '#lib/table/keys.ts'
import {
  absentOrBelow,
  absentOrIs,
  CHANGES_IN_ONE_TRANSACTION,
  type Change,
  combined,
} from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { deviceRuleKey, deviceRulePointerKey, listDeviceRules } from './device-rule-stored.ts'
import {
  COUNTER_SHARDS,
  type Device,
  type DeviceRoom,
  deviceCounterKey,
  devices,
  LIMITED_SHARD,
} from './device-stored.ts'
import { freedExtensionKey, freeNumbers } from './dialled.ts'
import { wordsNotNoted } from './taken-name.ts'

/** Values that were read before a device is created. The creation fails if they no longer hold. */
export interface BeforeCreation {
  /** The customer's devices. Only 0 is checked again, because the first device is the primary device. */
  readonly device_count: number
  /** `undefined` without a limit for the installation. */
  readonly room: DeviceRoom | undefined
  /** The device takes its extension from the free list. */
  readonly isFreed: boolean
  /** Words that are also usernames of other accounts, as a dataset has them. */
  readonly pairs?: readonly string[]
}

/** The changes that create a device. They fail if a value has changed since it was read. */
export const deviceCreated = (device: Device, before: BeforeCreation): Change[] =>
  combined([...deviceCreation(device, before), sameFirst(device, before)])

/** The changes that create a device without a limit. Devices of one transaction share a shard. */
export const creationInBatch = (
  device: Device,
  { device_count, shard }: Pick<BeforeCreation, 'device_count'> & { readonly shard: number },
): Change[] => [
  ...changesOf(devices, undefined, device),
  ...wordsNotNoted(undefined, device),
  { update: deviceCounterKey(shard), to: { add: { devices: 1 } } },
  ...(device_count === 0 ? [sameFirst(device, { device_count })] : []),
]

const sameFirst = ({ user_id }: Device, { device_count }: Pick<BeforeCreation, 'device_count'>): Change => ({
  check: accountKey(user_id),
  when: device_count === 0 ? { device_count: absentOrIs(0) } : {},
})

/** The changes that create a device, its count at its account included. */
export const deviceCreation = (
  device: Device,
  { room, isFreed, pairs }: Omit<BeforeCreation, 'device_count'>,
): Change[] => [
  ...changesOf(devices, undefined, device),
  ...wordsNotNoted(undefined, device, pairs),
  countedForLicense(device, room),
  ...(isFreed ? [{ remove: freedExtensionKey(Number(device.extension)) }] : []),
]

/** The changes that replace a device. They fail when it has changed since it was read, or a name is taken. */
export const deviceReplaced = (
  before: Device,
  after: Device,
  { pairs }: Pick<BeforeCreation, 'pairs'> = {},
): Change[] =>
  combined([
    ...changesOf(devices, before, after),
    ...freeNumbers(before, after),
    ...wordsNotNoted(before, after, pairs),
  ])

/**
 * With a limit, all creations use one counter, which must stay below what the other counters leave of the
 * limit. Without one, devices spread over several counters, so that parallel creations do not conflict.
 */
const countedForLicense = (device: Device, room: DeviceRoom | undefined): Change => ({
  update: room ? deviceCounterKey(LIMITED_SHARD) : counterOf(device),
  to: { add: { devices: 1 } },
  when: room ? { devices: absentOrBelow(room.counterBelow) } : {},
})

/** The counter of a device that is created without a limit. */
const counterOf = ({ id }: Device) => deviceCounterKey(id % COUNTER_SHARDS)

/** Leaves room for an entry of the log and a condition of scope. */
const MOST_REMOVALS = CHANGES_IN_ONE_TRANSACTION - 2

/**
 * The changes that delete the device with its rules, names and extension in one transaction, and pointers of
 * rules that do not fit after it. They fail if the device, its rules or its DIDs have changed.
 */
export async function deviceDeleted(store: Store, device: Device) {
  const rules = device.rule_count > 0 ? await listDeviceRules(store, device.id) : []
  const removals = combined([
    ...changesOf(devices, device, undefined),
    { check: deviceKey(device.id), when: { did_count: absentOrIs(0), location_rule_count: absentOrIs(0) } },
    { update: counterOf(device), to: { add: { devices: -1 } } },
    ...freeNumbers(device, undefined),
    ...rules.map(({ id }) => ({ remove: deviceRuleKey(device.id, id) })),
    ...rules.map(({ id }) => ({ remove: deviceRulePointerKey(id) })),
  ])
  return {
    changes: removals.slice(0, MOST_REMOVALS),
    afterwards: () => dropPointers(store, removals.slice(MOST_REMOVALS)),
  }
}

export async function deleteDevice(store: Store, device: Device): Promise<void> {
  const { changes, afterwards } = await deviceDeleted(store, device)
  await store.transact(changes)
  await afterwards()
}

/**
 * The device is deleted at this point, so a failure here does not fail the request. A pointer without its
 * rule is harmless; `check-data` reports it.
 */
async function dropPointers(store: Store, removals: readonly Change[]): Promise<void> {
  if (removals.length > 0) await store.transact(removals).catch(() => undefined)
}
