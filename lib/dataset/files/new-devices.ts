import pMap from 'p-map'
import { type Account, findAccounts } from '#lib/accounts/account.ts'
import { paired } from '#lib/base/collections.ts'
import type { ImportContext } from '#lib/dataset/format/import-context.ts'
import { refusalIn } from '#lib/dataset/format/row-by-row.ts'
import type { RowEntry } from '#lib/dataset/format/row-format.ts'
import { COUNTER_SHARDS, type Device, type DeviceRow } from '#lib/devices/device-stored.ts'
import { creationInBatch } from '#lib/devices/device-writing.ts'
import { CHANGES_IN_ONE_TRANSACTION, type Change, combined } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

type Entry = RowEntry<DeviceRow>

type ToDevice = (entry: Entry, user: Account) => Device

/** Its row, two words, its place in a list, two addresses, its customer and the counter. */
const MOST_CHANGES_OF_A_DEVICE = 8

/**
 * Creates devices, several in one transaction, and returns the created ones. Others are left after a failed
 * condition in their transaction. Parallel transactions have their own customers and counter.
 */
export async function createNewDevices(
  entries: readonly Entry[],
  { store }: ImportContext,
  toDevice: ToDevice,
): Promise<ReadonlySet<Entry>> {
  const ids = [...new Set(entries.map(({ row }) => row.user_id))]
  const users = paired(ids, await findAccounts(store, ids))
  const lanes = Map.groupBy(entries, ({ row }) => row.user_id % COUNTER_SHARDS)
  const created = await pMap(lanes, ([shard, lane]) => createInLane(store, lane, shard, users, toDevice))
  return new Set(created.flat())
}

/**
 * The devices of a customer follow each other, because those of one transaction count at it once. A customer
 * is forgotten with a device that was not created: its first device is then unknown.
 */
async function createInLane(
  store: Store,
  entries: readonly Entry[],
  shard: number,
  users: Map<number, Account | undefined>,
  toDevice: ToDevice,
): Promise<Entry[]> {
  const created: Entry[] = []
  let group = emptyGroup()
  const write = async () => {
    if (await isRefused(store, combined(group.changes))) for (const id of group.customers) users.delete(id)
    else created.push(...group.entries)
    group = emptyGroup()
  }
  for (const entry of [...Map.groupBy(entries, ({ row }) => row.user_id).values()].flat()) {
    const own = group.puts + group.customers.size
    if (own > CHANGES_IN_ONE_TRANSACTION - MOST_CHANGES_OF_A_DEVICE) await write()
    const user = users.get(entry.row.user_id)
    if (!user) continue
    const { device_count } = user
    const changes = creationInBatch(toDevice(entry, user), { device_count, shard })
    group.changes.push(...changes)
    group.puts += changes.filter((change) => 'put' in change).length
    group.entries.push(entry)
    group.customers.add(user.id)
    users.set(user.id, { ...user, device_count: device_count + 1 })
  }
  await write()
  return created
}

/** The devices of one transaction. Their changes at a customer become one. */
const emptyGroup = () => ({
  entries: [] as Entry[],
  customers: new Set<number>(),
  changes: [] as Change[],
  puts: 0,
})

const isRefused = async (store: Store, changes: readonly Change[]): Promise<boolean> =>
  changes.length > 0 && (await store.transact(changes).catch(refusalIn)) !== undefined
