import { ADDITION, CUT, RULE_TYPES } from '#lib/domain/devices/device-rule.ts'
import {
  flag,
  type Imported,
  id,
  importedReader,
  integer,
  oneOf,
  type Row,
  requiredText,
  rowReader,
  textLike,
} from '#lib/store/columns.ts'
import { absent, absentOrBelow, type Conditions, is, present } from '#lib/store/conditions.ts'
import { followPointers } from '#lib/store/entity.ts'
import { deviceKeys, deviceRuleKeys, type Key } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'
import { type Device, readDevice } from './device.ts'

// Shape

export const deviceRuleColumns = {
  id,
  device_id: id,
  enabled: flag(true),
  pr_type: oneOf(RULE_TYPES, 'dst'),
  name: requiredText,
  cut: textLike('digits', CUT, ''),
  add: textLike('digits, *, # and +', ADDITION, ''),
  minlen: integer(1),
  maxlen: integer(100),
}

export type DeviceRule = Row<typeof deviceRuleColumns>

/** A rule with what it keeps of its dataset row. */
export type ImportedRule = Imported<DeviceRule>

const readRule = importedReader(deviceRuleColumns)
const readPointer = rowReader({ device_id: id })

/** A device and its rules must fit into one transaction when they are deleted together. */
export const MOST_RULES_OF_A_DEVICE = 80

// Access patterns

/** Ascending by id. */
export async function listDeviceRules(store: Store, deviceId: number): Promise<DeviceRule[]> {
  return (await store.list(deviceRuleKeys.ofDevice(deviceId))).map(readRule)
}

/** A rule by its id, with the device it is on; a pointer whose rule is gone names nothing. */
export async function findRuleWithDevice(
  store: Store,
  ruleId: number,
): Promise<{ rule: DeviceRule; device: Device } | undefined> {
  const pointer = await store.get(deviceRuleKeys.pointer(ruleId))
  if (!pointer) return undefined
  const { device_id: deviceId } = readPointer(pointer)
  const [rule, device] = await store.getMany([
    deviceRuleKeys.item(deviceId, ruleId),
    deviceKeys.item(deviceId),
  ])
  return rule && device && { rule: readRule(rule), device: readDevice(device) }
}

/** Throws ConditionFailed when the device is full, gone, or another's since it was read. */
export const createDeviceRule = (store: Store, device: Device, rule: DeviceRule): Promise<void> =>
  store.transact([
    { put: { ...deviceRuleKeys.item(device.id, rule.id), ...rule }, when: { PK: absent } },
    { put: pointerTo(rule) },
    countedOnDevice(device, 1, { rule_count: absentOrBelow(MOST_RULES_OF_A_DEVICE) }),
  ])

/** Throws ConditionFailed when the rule is not there, or its device is another's since it was read. */
export const deleteDeviceRule = (store: Store, device: Device, ruleId: number): Promise<void> =>
  store.transact([
    { remove: deviceRuleKeys.item(device.id, ruleId), when: { PK: present } },
    { remove: deviceRuleKeys.pointer(ruleId) },
    countedOnDevice(device, -1),
  ])

/**
 * A rule as a dataset brings it, in place of what was read. Throws ConditionFailed when that has changed meanwhile, or a
 * device is gone or full.
 */
export const replaceDeviceRule = (
  store: Store,
  before: ImportedRule | undefined,
  after: ImportedRule,
): Promise<void> => {
  const stays = before?.device_id === after.device_id
  const key = deviceRuleKeys.item(after.device_id, after.id)
  return store.transact([
    { put: { ...key, ...after }, when: { PK: stays ? present : absent } },
    { put: pointerTo(after) },
    ...(stays ? [ruleCountedOn(after.device_id, 0, { PK: present })] : movedToItsDevice(before, after)),
  ])
}

const movedToItsDevice = (before: DeviceRule | undefined, after: DeviceRule): Change[] => [
  ruleCountedOn(after.device_id, 1, { PK: present, rule_count: absentOrBelow(MOST_RULES_OF_A_DEVICE) }),
  ...(before
    ? [
        { remove: deviceRuleKeys.item(before.device_id, before.id), when: { PK: present } },
        ruleCountedOn(before.device_id, -1, { PK: present }),
      ]
    : []),
]

const ruleCountedOn = (deviceId: number, by: number, when: Conditions = {}): Change => ({
  update: deviceKeys.item(deviceId),
  to: { add: { rule_count: by, version: 1 } },
  when,
})

/** In the order of the ids. */
export const findDeviceRules = (
  store: Store,
  ids: readonly number[],
): Promise<(ImportedRule | undefined)[]> =>
  followPointers(store, ids, {
    pointer: deviceRuleKeys.pointer,
    target: (pointer, ruleId) => deviceRuleKeys.item(readPointer(pointer).device_id, ruleId),
    read: readRule,
  })

const pointerTo = ({ id: ruleId, device_id }: DeviceRule): Key & { device_id: number } => ({
  ...deviceRuleKeys.pointer(ruleId),
  device_id,
})

/** Scope was found out from the device's account and owner: these must not have changed. */
const countedOnDevice = ({ id, user_id, owner_id }: Device, by: number, when: Conditions = {}): Change =>
  ruleCountedOn(id, by, { user_id: is(user_id), owner_id: is(owner_id), ...when })
