import type { Device, DeviceRoom } from '#lib/store/devices/device.ts'
import { deviceCreation } from '#lib/store/devices/device-writing.ts'
import { changesOf } from '#lib/store/entity-changes.ts'
import { advanceIds, nextId } from '#lib/store/id-counter.ts'
import { accountKey, isSameKey } from '#lib/store/keys.ts'
import { combined, keyOfChange } from '#lib/store/requests/changes.ts'
import type { Store } from '#lib/store/store.ts'
import { highestAccountId } from './account.ts'
import { accounts, type WholeCaller } from './whole-account.ts'

/**
 * Stores an account with its first device in one transaction. Throws ConditionFailed when its name, email or uniquehash, or a name
 * of the device, belongs to another one, or a value that was read before has changed.
 */
export async function storeRegistration(
  store: Store,
  account: WholeCaller,
  device: Device,
  before: { readonly room: DeviceRoom | undefined; readonly isFreed: boolean },
): Promise<void> {
  /** The account is stored with its count of one. */
  const ofDevice = deviceCreation(device, before).filter(
    (change) => !isSameKey(keyOfChange(change), accountKey(account.id)),
  )
  const counted = { ...account, device_count: 1 }
  await store.transact(combined([...changesOf(accounts, undefined, counted), ...ofDevice]))
}

/**
 * The id of a new account. Tables of earlier versions have no counter of such ids, and an import of a few accounts sets it too low:
 * it is set to the highest id if it was missing, and after a lost race.
 */
export async function nextAccountId(store: Store, lostRaces: number): Promise<number> {
  const id = lostRaces === 0 ? await nextId(store, 'account') : FIRST_OF_COUNTER
  if (id !== FIRST_OF_COUNTER) return id
  await advanceIds(store, 'account', await highestAccountId(store))
  return nextId(store, 'account')
}

const FIRST_OF_COUNTER = 1
