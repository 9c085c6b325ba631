import { type Account, findAccounts, ownsCustomers } from '#lib/store/accounts/account.ts'
import { findDevices } from '#lib/store/devices/device.ts'
import type { Named } from '#lib/store/devices/device-claims.ts'
import type { ImportWorld } from './import-world.ts'

type Referred = Pick<Account, 'usertype' | 'owner_id'>

/** The accounts of these ids: as this dataset brings them, else as the table holds them. */
export const accountsById = (world: ImportWorld, ids: readonly (number | undefined)[]) =>
  byId<Referred>(ids, world.accepted.users, (missing) => findAccounts(world.store, missing))

export const devicesById = (world: ImportWorld, ids: readonly (number | undefined)[]) =>
  byId<Named>(ids, world.accepted.devices, (missing) => findDevices(world.store, missing))

async function byId<T>(
  ids: readonly (number | undefined)[],
  accepted: ReadonlyMap<number, T>,
  find: (missing: readonly number[]) => Promise<(T | undefined)[]>,
): Promise<ReadonlyMap<number, T>> {
  const wanted = [...new Set(ids)].filter((id) => id !== undefined)
  const stored = wanted.filter((id) => !accepted.has(id))
  const found = await find(stored)
  const pairs = [
    ...wanted.map((id) => [id, accepted.get(id)] as const),
    ...stored.map((id, position) => [id, found[position]] as const),
  ]
  return new Map(pairs.flatMap(([id, item]) => (item === undefined ? [] : [[id, item] as const])))
}

/** Why this account cannot own anything. */
export function ownerProblem(owner: Referred | undefined, ownerId: number): string | undefined {
  if (!owner) return `owner_id: there is no account ${ownerId}`
  return ownsCustomers(owner) ? undefined : `owner_id: account ${ownerId} is no admin, reseller or partner`
}
