import type { Change } from '../changes.ts'
import { flag, id, integer, oneOf, type Row, requiredText, rowReader, textLike } from '../columns.ts'
import { absent, is, present } from '../conditions.ts'
import { deviceKey, deviceRuleKey, deviceRulePointerKey, type Key, rulesOfDevice } from '../keys.ts'
import type { Store } from '../store.ts'
import type { Device } from './device.ts'

// Shape

export const deviceRuleColumns = {
  id,
  device_id: id,
  enabled: flag(true),
  pr_type: oneOf(['src', 'dst'], 'dst'),
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

/** On which device a rule is. The rule itself may be gone: who deletes it finds out. */
export async function findDeviceOfRule(store: Store, ruleId: number): Promise<number | undefined> {
  return (await store.get(deviceRulePointerKey(ruleId)))?.['device_id'] as number | undefined
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

/** For the transaction that deletes the device. */
export const ruleRemovals = (rules: readonly DeviceRule[]): Change[] =>
  rules.map(({ device_id, id: ruleId }) => ({ remove: deviceRuleKey(device_id, ruleId) }))

/** What is left of rules whose device was deleted: a pointer without a target says nothing, and only takes room. */
export async function dropPointers(store: Store, rules: readonly DeviceRule[]): Promise<void> {
  if (rules.length === 0) return
  await store.transact(rules.map((rule) => ({ remove: deviceRulePointerKey(rule.id) })))
}

const pointerTo = ({ id: ruleId, device_id }: DeviceRule): Key & { device_id: number } => ({
  ...deviceRulePointerKey(ruleId),
  device_id,
})

const countedOnDevice = ({ id: deviceId, version }: Device, by: number): Change => ({
  update: deviceKey(deviceId),
  to: { add: { rule_count: by, version: 1 } },
  when: { version: is(version) },
})
