import pMap from 'p-map'
import { type Account, findAccounts } from '#lib/accounts/account.ts'
import { paired, slices } from '#lib/base/collections.ts'
import type { ImportContext } from '#lib/dataset/format/import-context.ts'
import { refusalIn } from '#lib/dataset/format/row-by-row.ts'
import type { RowEntry } from '#lib/dataset/format/row-format.ts'
import { COUNTER_SHARDS, type Device, type DeviceRow } from '#lib/devices/device-stored.ts'
import { creationInBatch } from '#lib/devices/device-writing.ts'
import { type Change, combined } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

type Entry = RowEntry<DeviceRow>

type ToDevice = (entry: Entry, user: Account) => Device

/** A device takes up to seven changes, and a transaction up to 100 with the counter. */
const DEVICES_IN_ONE_TRANSACTION = 14

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
  const created = await pMap(lanes, ([shard, lane]) => createInLane(store, lane, { shard, users, toDevice }))
  return new Set(created.flat())
}

interface Lane {
  readonly shard: number
  readonly users: Map<number, Account | undefined>
  readonly toDevice: ToDevice
}

/** A customer is forgotten with a device that was not created: its first device is then unknown. */
async function createInLane(
  store: Store,
  entries: readonly Entry[],
  { shard, users, toDevice }: Lane,
): Promise<Entry[]> {
  const created: Entry[] = []
  for (const group of slices(entries, DEVICES_IN_ONE_TRANSACTION)) {
    const known = group.filter(({ row }) => users.get(row.user_id))
    const changes = known.flatMap((entry) => changesFor(entry, { shard, users, toDevice }))
    if (await isRefused(store, changes)) for (const { row } of known) users.delete(row.user_id)
    else created.push(...known)
  }
  return created
}

const isRefused = async (store: Store, changes: readonly Change[]): Promise<boolean> =>
  changes.length > 0 && (await store.transact(combined(changes)).catch(refusalIn)) !== undefined

/** Counts the device at its customer, for the next ones. */
function changesFor(entry: Entry, { shard, users, toDevice }: Lane): readonly Change[] {
  const user = users.get(entry.row.user_id)
  if (!user) return []
  const { device_count } = user
  users.set(user.id, { ...user, device_count: device_count + 1 })
  return creationInBatch(toDevice(entry, user), { device_count, shard })
}
