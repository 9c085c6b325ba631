import { RULE_TYPES } from '#lib/domain/device-rule.ts'
import type { Change } from '../changes.ts'
import { flag, id, integer, oneOf, type Row, requiredText, rowReader, textLike } from '../columns.ts'
import { absent, is, present } from '../conditions.ts'
import { deviceKey, deviceRuleKey, deviceRulePointerKey, type Key, rulesOfDevice } from '../keys.ts'
import type { Store } from '../store.ts'
import { type Device, readDevice } from './device.ts'

// Shape

export const deviceRuleColumns = {
  id,
  device_id: id,
  enabled: flag(true),
  pr_type: oneOf(RULE_TYPES, 'dst'),
  name: requiredText,
  cut: textLike('digits', /^\d+$/, ''),
  add: textLike('digits, *, # and +', /^[0-9*#+]+$/, ''),
  minlen: integer(1),
  maxlen: integer(100),
}

export type DeviceRule = Row<typeof deviceRuleColumns>

const readRule = rowReader(deviceRuleColumns)

/** A device and its rules must fit into one transaction when they are deleted together. */
export const MOST_RULES_OF_A_DEVICE = 80

// Access patterns

/** Ascending by id. */
export async function listDeviceRules(store: Store, deviceId: number): Promise<DeviceRule[]> {
  const { partition, prefix } = rulesOfDevice
  return (await store.list({ partition: partition(deviceId), prefix })).map(readRule)
}

/** A rule by its id, with the device it is on; a pointer whose rule is gone names nothing. */
export async function findRuleWithDevice(
  store: Store,
  ruleId: number,
): Promise<{ rule: DeviceRule; device: Device } | undefined> {
  const pointer = await store.get(deviceRulePointerKey(ruleId))
  if (!pointer) return undefined
  const deviceId = Number(pointer['device_id'])
  const [rule, device] = await store.getMany([deviceRuleKey(deviceId, ruleId), deviceKey(deviceId)])
  return rule && device && { rule: readRule(rule), device: readDevice(device) }
}

/** Throws ConditionFailed when the device has changed since it was read. */
export const createDeviceRule = (store: Store, device: Device, rule: DeviceRule): Promise<void> =>
  store.transact([
    { put: { ...deviceRuleKey(device.id, rule.id), ...rule }, when: { PK: absent } },
    { put: pointerTo(rule) },
    countedOnDevice(device, 1),
  ])

/** Throws ConditionFailed when the rule is not there, or its device has changed since it was read. */
export const deleteDeviceRule = (store: Store, device: Device, ruleId: number): Promise<void> =>
  store.transact([
    { remove: deviceRuleKey(device.id, ruleId), when: { PK: present } },
    { remove: deviceRulePointerKey(ruleId) },
    countedOnDevice(device, -1),
  ])

const pointerTo = ({ id: ruleId, device_id }: DeviceRule): Key & { device_id: number } => ({
  ...deviceRulePointerKey(ruleId),
  device_id,
})

const countedOnDevice = ({ id: deviceId, version }: Device, by: number): Change => ({
  update: deviceKey(deviceId),
  to: { add: { rule_count: by, version: 1 } },
  when: { version: is(version) },
})
