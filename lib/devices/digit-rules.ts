import type { DigitRule } from '#lib/rates/numbers/rated-number.ts'
import type { Store } from '#lib/table/store.ts'
import { listDeviceRules } from './device-rule-stored.ts'
import { findDevice, locationOf } from './device-stored.ts'
import { listLocationRules } from './location-rule-stored.ts'

/**
 * The enabled rules for dialled numbers of a device, then those of its location. A rule of a location group
 * is left out: it is not known which callers are in a group.
 */
export async function listDigitRules(store: Store, deviceId: number): Promise<readonly DigitRule[][]> {
  const [device, ofDevice] = await Promise.all([
    findDevice(store, deviceId),
    listDeviceRules(store, deviceId),
  ])
  const location = device && locationOf(device)
  const ofLocation = location === undefined ? [] : await listLocationRules(store, location)
  return [
    ofDevice.filter(({ enabled, pr_type }) => enabled && pr_type === 'dst'),
    ofLocation.filter(
      ({ enabled, lr_type, location_group_id }) =>
        enabled && lr_type === 'dst' && location_group_id === undefined,
    ),
  ]
}
