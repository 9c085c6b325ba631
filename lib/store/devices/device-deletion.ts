import { deviceRuleKeys } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import type { Device } from './device.ts'
import { changedClaims } from './device-claims.ts'
import { type DeviceRule, listDeviceRules } from './device-rule.ts'
import { deviceRemovals } from './device-writing.ts'

/**
 * Deletes the device with its rules, names and extension in one transaction. Throws ConditionFailed when the device,
 * its rules or its DIDs have changed since it was read.
 */
export async function deleteDevice(store: Store, device: Device): Promise<void> {
  const [rules, claims] = await Promise.all([
    device.rule_count > 0 ? listDeviceRules(store, device.id) : [],
    changedClaims(store, device, undefined),
  ])
  const ruleRemovals = rules.map((rule) => ({ remove: deviceRuleKeys.item(device.id, rule.id) }))
  await store.transact([...deviceRemovals(device), ...claims, ...ruleRemovals])
  await dropPointers(store, rules)
}

/**
 * The rules' pointers do not fit into the same transaction. Without their rules they name nothing, so one that stays
 * behind after a crash only takes room.
 */
async function dropPointers(store: Store, rules: readonly DeviceRule[]): Promise<void> {
  if (rules.length === 0) return
  await store.transact(rules.map((rule) => ({ remove: deviceRuleKeys.pointer(rule.id) })))
}
