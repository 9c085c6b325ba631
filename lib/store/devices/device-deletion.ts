import { absentOrIs } from '#lib/store/conditions.ts'
import { changesOf } from '#lib/store/entity-changes.ts'
import { deviceKey } from '#lib/store/keys.ts'
import { CHANGES_IN_ONE_TRANSACTION, type Change, combined } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'
import { type Device, devices } from './device.ts'
import { numberChanges } from './device-claims.ts'
import { deviceRuleKey, deviceRulePointerKey, listDeviceRules } from './device-rule.ts'
import { counterOf } from './device-writing.ts'

/**
 * Deletes the device with its rules, names and extension in one transaction. The pointers of many rules that do not fit
 * are removed after it. Throws ConditionFailed when the device, its rules or its DIDs have changed since it was read.
 */
export async function deleteDevice(store: Store, device: Device): Promise<void> {
  const [rules, numbers] = await Promise.all([
    device.rule_count > 0 ? listDeviceRules(store, device.id) : [],
    numberChanges(store, device, undefined),
  ])
  const removals = combined([
    ...changesOf(devices, device, undefined),
    { check: deviceKey(device.id), when: { did_count: absentOrIs(0), location_rule_count: absentOrIs(0) } },
    { update: counterOf(device), to: { add: { devices: -1 } } },
    ...numbers,
    ...rules.map(({ id }) => ({ remove: deviceRuleKey(device.id, id) })),
    ...rules.map(({ id }) => ({ remove: deviceRulePointerKey(id) })),
  ])
  await store.transact(removals.slice(0, CHANGES_IN_ONE_TRANSACTION))
  await dropPointers(store, removals.slice(CHANGES_IN_ONE_TRANSACTION))
}

/**
 * The device is deleted at this point, so the request has not failed if this fails. A pointer without its rule names
 * nothing; `npm run check-data` reports it.
 */
async function dropPointers(store: Store, removals: readonly Change[]): Promise<void> {
  if (removals.length > 0) await store.transact(removals).catch(() => undefined)
}
