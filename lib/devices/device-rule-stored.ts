import {
  flag,
  type Imported,
  id,
  integer,
  labelled,
  oneOf,
  type Row,
  requiredText,
  textLike,
} from '#lib/table/columns.ts'
import { defineEntity, type Stored } from '#lib/table/entity.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { deviceKey, keyForm } from '#lib/table/keys.ts'
import { absentOrBelow, type Change, combined, is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { ADDITION_FORM, CUT_FORM, DEVICE_RULE_TYPES } from './device-rule.ts'
import { type Device, devices } from './device-stored.ts'

/** In the order in which device_rules_get prints them. */
export const deviceRuleColumns = {
  id,
  device_id: labelled(id, 'Device'),
  enabled: flag(true),
  pr_type: labelled(
    oneOf(DEVICE_RULE_TYPES, 'dst'),
    'Type',
    'dst changes the number called, src the number of the caller',
  ),
  name: requiredText,
  cut: labelled(textLike('digits', CUT_FORM, ''), 'Cut', 'digits that are cut from the start of the number'),
  add: labelled(
    textLike('digits, *, # and +', ADDITION_FORM, ''),
    'Add',
    'digits that are put before the number',
  ),
  minlen: labelled(integer(1), 'Shortest number'),
  maxlen: labelled(integer(100), 'Longest number'),
}

export type DeviceRule = Row<typeof deviceRuleColumns>

/** One transaction must have room to delete a device with its rules. */
export const MOST_RULES_OF_A_DEVICE = 80

export const deviceRuleKey = keyForm('DEVICE#<device_id>', 'RULE#<id>')
export const deviceRulePointerKey = keyForm('DEVRULE#<id>', 'DEVRULE')

export const deviceRules = defineEntity({
  name: 'device rule',
  columns: deviceRuleColumns,
  key: deviceRuleKey,
  pointer: deviceRulePointerKey,
  requires: [{ column: 'device_id', names: deviceKey, counted: 'rule_count' }],
})

/** Ascending by id. */
export async function listDeviceRules(store: Store, deviceId: number): Promise<Stored<DeviceRule>[]> {
  return (await store.list(deviceRuleKey.range(deviceId))).map(deviceRules.read)
}

/** A rule by its id, with its device. Returns undefined for a pointer whose rule is gone. */
export async function findRuleWithDevice(
  store: Store,
  ruleId: number,
): Promise<{ rule: Stored<DeviceRule>; device: Device } | undefined> {
  const pointer = await store.get(deviceRulePointerKey(ruleId))
  if (!pointer) return undefined
  const [rule, device] = await store.getMany([
    deviceRuleKey.of(pointer),
    deviceKey(Number(pointer['device_id'])),
  ])
  return rule && device && { rule: deviceRules.read(rule), device: devices.read(device) }
}

/** Throws ConditionFailed if the device has too many rules, is gone or has changed hands. */
export const createDeviceRule = (store: Store, device: Device, rule: DeviceRule): Promise<void> =>
  store.transact(combined([...changesOf(deviceRules, undefined, rule), hasRoom(device.id), isAsRead(device)]))

/** Throws ConditionFailed if the rule has changed or its device has changed hands since it was read. */
export const deleteDeviceRule = (store: Store, device: Device, rule: Stored<DeviceRule>): Promise<void> =>
  store.transact(combined([...changesOf(deviceRules, rule, undefined), isAsRead(device)]))

/** The caller's scope was checked by the device's account and owner, so these must not have changed. */
const isAsRead = ({ id: deviceId, user_id, owner_id }: Device): Change => ({
  check: deviceKey(deviceId),
  when: { user_id: is(user_id), owner_id: is(owner_id) },
})

/**
 * The changes that put a rule in place of `before`. They fail when the rule has changed since it was read, or
 * a device is gone or has too many rules.
 */
export const deviceRuleReplaced = (
  before: Stored<DeviceRule> | undefined,
  after: Imported<DeviceRule>,
): readonly Change[] => {
  const moves = before?.device_id !== after.device_id
  const changes = changesOf(deviceRules, before, after)
  return moves ? combined([...changes, hasRoom(after.device_id)]) : changes
}

const hasRoom = (deviceId: number): Change => ({
  check: deviceKey(deviceId),
  when: { rule_count: absentOrBelow(MOST_RULES_OF_A_DEVICE) },
})
