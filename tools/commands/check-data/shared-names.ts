import { accounts } from '#lib/accounts/whole-account.ts'
import { findDevices } from '#lib/devices/device-stored.ts'
import { findHolders } from '#lib/devices/dialled.ts'
import { idWritten } from '#lib/devices/taken-name.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, isUnder } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

const isAccount = isUnder(accounts.key)

/**
 * Sentences about the usernames among these items that are also the id of another account, or the name or
 * extension of a device of another one. Such pairs are older than the rule against them, and stay.
 */
export async function sharedNamesAmong(store: Store, items: readonly Item[]): Promise<string[]> {
  const named = items.filter(isAccount).map((item) => accounts.read(item))
  const withIds = named.filter(({ id, username }) => ![undefined, id].includes(idWritten(username)))
  const [holders, others] = await Promise.all([
    findHolders(
      store,
      named.map(({ username }) => username),
    ),
    store.getMany(withIds.map(({ username }) => accountKey(Number(username)))),
  ])
  const devices = await findDevices(
    store,
    holders.flatMap((holder) => holder?.id ?? []),
  )
  const byId = new Map(devices.flatMap((device) => (device ? [[device.id, device]] : [])))
  return [
    ...withIds.flatMap(({ id, username }, index) =>
      others[index]
        ? [`"${username}" is the username of account ${id} and the id of account ${username}: ${REMEDY}`]
        : [],
    ),
    ...named.flatMap(({ id, username }, index) => {
      const device = byId.get(holders[index]?.id ?? -1)
      return device && device.user_id !== id
        ? [
            `${JSON.stringify(username)} is the username of account ${id} and names device ${device.id} of account ${device.user_id}: ${REMEDY}`,
          ]
        : []
    }),
  ]
}

const REMEDY =
  'an account code is read as the username: rename one of them, or say what the codes of a switch are (--codes)'
