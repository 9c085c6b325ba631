import { highestAccountId } from '#lib/accounts/account.ts'
import { accounts, type WholeAccount, type WholeCaller } from '#lib/accounts/whole-account.ts'
import type { Device } from '#lib/devices/device-stored.ts'
import { type BeforeCreation, deviceCreation } from '#lib/devices/device-writing.ts'
import { noUsername, usernameNotes } from '#lib/devices/taken-name.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { advanceIds, nextId } from '#lib/table/id-counter.ts'
import { accountKey, isSameKey } from '#lib/table/keys.ts'
import { combined, keyOfChange } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { type Payment, payments } from './payment.ts'

/**
 * Stores an account with its first device, and the payment of its initial balance, in one transaction. Throws
 * ConditionFailed if its name, email, uniquehash or a device name is taken, or what was read has changed.
 */
export async function storeRegistration(
  store: Store,
  account: WholeCaller & Pick<WholeAccount, 'name_since'>,
  device: Device,
  payment: Payment | undefined,
  before: Pick<BeforeCreation, 'room' | 'isFreed'>,
): Promise<void> {
  const { id, owner_id, username } = account
  const besides = [
    ...deviceCreation(device, before),
    ...(payment ? changesOf(payments, undefined, { ...payment, owner_id }) : []),
  ]
  /** The account is stored with its count of one. */
  const others = besides.filter((change) => !isSameKey(keyOfChange(change), accountKey(id)))
  const counted = { ...account, device_count: 1, blocks: 0, history: undefined, name_checked: true }
  const isWordOfDevice = [device.name, device.extension].includes(username)
  const noted = isWordOfDevice ? [] : usernameNotes(account)
  await store.transact(combined([...changesOf(accounts, undefined, counted), ...others, ...noted]))
}

/**
 * The id of a new account, never a username. Tables of earlier versions have no counter of such ids, and
 * an import of a few accounts sets it too low: it is set to the highest id if it was missing, and after a
 * lost race.
 */
export async function nextAccountId(store: Store, lostRaces: number): Promise<number> {
  const counted = lostRaces === 0 ? await nextId(store, 'account') : FIRST_OF_COUNTER
  if (counted === FIRST_OF_COUNTER) await advanceIds(store, 'account', await highestAccountId(store))
  return noUsername(store, counted === FIRST_OF_COUNTER ? await nextId(store, 'account') : counted)
}

const FIRST_OF_COUNTER = 1
