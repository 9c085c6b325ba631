import { deviceRuleKeys } from '#lib/store/keys.ts'
import { CHANGES_IN_ONE_TRANSACTION, type Change } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'
import type { Device } from './device.ts'
import { changedClaims } from './device-claims.ts'
import { listDeviceRules } from './device-rule.ts'
import { deviceRemovals } from './device-writing.ts'

/**
 * Deletes the device with its rules, names and extension in one transaction; of many rules some pointers do not fit, and
 * go right after it. Throws ConditionFailed when the device, its rules or its DIDs have changed since it was read.
 */
export async function deleteDevice(store: Store, device: Device): Promise<void> {
  const [rules, claims] = await Promise.all([
    device.rule_count > 0 ? listDeviceRules(store, device.id) : [],
    changedClaims(store, device, undefined),
  ])
  const ruleRemovals = rules.map((rule) => ({ remove: deviceRuleKeys.item(device.id, rule.id) }))
  const pointerRemovals = rules.map((rule) => ({ remove: deviceRuleKeys.pointer(rule.id) }))
  const removals = [...deviceRemovals(device), ...claims, ...ruleRemovals, ...pointerRemovals]
  await store.transact(removals.slice(0, CHANGES_IN_ONE_TRANSACTION))
  await dropPointers(store, removals.slice(CHANGES_IN_ONE_TRANSACTION))
}

/**
 * The device is deleted by now, so a failure here is not the caller's. A pointer without its rule names nothing and only
 * takes room; `npm run check-data` names it.
 */
async function dropPointers(store: Store, removals: readonly Change[]): Promise<void> {
  if (removals.length > 0) await store.transact(removals).catch(() => undefined)
}
