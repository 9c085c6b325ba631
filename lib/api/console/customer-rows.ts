import { displayName } from '#lib/domain/accounts/account.ts'
import { actsFor, seesEveryone } from '#lib/domain/accounts/scope.ts'
import { type Account, listOwnerIds, type StoredAccount } from '#lib/store/accounts/account.ts'
import { batchedLookup } from '#lib/store/entity.ts'
import { findTariffs } from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'
import type { CustomerRow } from './answers/customers.ts'
import type { ConsoleRequest } from './resource.ts'

/** The accounts as the list of customers shows them. Reads each tariff once. */
export async function customerRows(
  { store, link }: Pick<ConsoleRequest, 'store' | 'link'>,
  found: readonly StoredAccount[],
): Promise<CustomerRow[]> {
  const [ownerLink, tariffs] = await Promise.all([
    link(found.map(({ owner_id }) => owner_id)),
    batchedLookup((ids) => findTariffs(store, ids))(found.map(({ tariff_id }) => tariff_id)),
  ])
  return found.map((account) => {
    const { id, username, usertype, owner_id, tariff_id, currency, device_count, blocked } = account
    const tariff = tariff_id === undefined ? undefined : tariffs.get(tariff_id)
    return {
      id,
      username,
      name: displayName(account),
      type: usertype,
      currency,
      devices: device_count,
      blocked,
      owner: owner_id === id ? null : ownerLink(owner_id),
      tariff: tariff_id === undefined ? null : { id: tariff_id, name: tariff?.name ?? `tariff ${tariff_id}` },
    }
  })
}

/** The owners whose accounts an account manages, ascending: the list of customers goes through them one by one. */
export async function ownersSeenBy(store: Store, caller: Account): Promise<number[]> {
  if (seesEveryone(caller)) return listOwnerIds(store)
  const owner = actsFor(caller)
  return owner === undefined ? [] : [owner]
}
