import { displayName } from '#lib/domain/accounts/account.ts'
import { actsFor, seesEveryone } from '#lib/domain/accounts/scope.ts'
import {
  type Account,
  listAccountsOf,
  listOwnerIds,
  type StoredAccount,
} from '#lib/store/accounts/account.ts'
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

const ACCOUNTS_IN_ONE_PAGE = 1000

/** Every account that an account manages, by owner and id. */
export async function everyCustomer(store: Store, caller: Account): Promise<StoredAccount[]> {
  const found: StoredAccount[] = []
  for (const owner of await ownersSeenBy(store, caller)) {
    const pages = listAccountsOf(store, owner, { after: undefined, pageSize: ACCOUNTS_IN_ONE_PAGE })
    for await (const page of pages) found.push(...page)
  }
  return found
}

/** Whether each word of a search is the beginning of a word of the account's names, or its id. */
export function matchesSearch(account: Account, search: string): boolean {
  const names = wordsIn(`${account.first_name} ${account.last_name} ${account.username} ${account.clientid}`)
  const own = [...names, account.username.toLowerCase(), String(account.id)]
  return wordsIn(search).every((wanted) => own.some((word) => word.startsWith(wanted)))
}

/** `nw_bakery` has two words. */
const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
