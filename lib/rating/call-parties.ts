import { once } from '#lib/dataset/format/once.ts'
import { type Account, findAccounts } from '#lib/store/accounts/account.ts'
import type { Call } from '#lib/store/calls/call.ts'
import type { Store } from '#lib/store/store.ts'

/** A customer and the one it belongs to, as they are now. */
export interface Customer {
  readonly account: Account
  /** Nobody, where the account was deleted from the outside. */
  readonly owner: Account | undefined
}

/** The customers of these ids that there are. */
export async function findCustomers(
  store: Store,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Customer>> {
  const accounts = await accountsIn(store, ids)
  const owners = await accountsIn(
    store,
    [...accounts.values()].map(({ owner_id }) => owner_id),
  )
  return new Map(
    [...accounts].map(([id, account]) => [id, { account, owner: owners.get(account.owner_id) }] as const),
  )
}

async function accountsIn(store: Store, ids: readonly number[]): Promise<ReadonlyMap<number, Account>> {
  const found = await findAccounts(store, [...new Set(ids)])
  return new Map(found.flatMap((account) => (account ? [[account.id, account] as const] : [])))
}

/** Whether nobody stands between the customer and admin: then there is no reseller's price. */
export const isDirect = (owner: Account | undefined): boolean =>
  owner === undefined || owner.usertype === 'admin'

/** A customer under the owner for whom a call of it counts. */
export interface Belonging extends Customer {
  readonly owner_id: number
  readonly direct: boolean
}

/**
 * Finds whose customer a call counts for. One that is corrected stays with the owner at the time it was first stored, and
 * is priced as that one's (wire.md 7.1).
 */
export function createOwnership(
  store: Store,
): (customer: Customer, before: Call | undefined) => Promise<Belonging> {
  const ownerOf = once(async (id) => (await findAccounts(store, [id]))[0])

  return async ({ account, owner }, before) => {
    if (before?.user_id !== account.id) {
      return { account, owner, owner_id: account.owner_id, direct: isDirect(owner) }
    }
    const { owner_id, direct } = before
    return {
      account,
      owner: owner_id === account.owner_id ? owner : await ownerOf(owner_id),
      owner_id,
      direct,
    }
  }
}
