import { accounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import type { Balance } from '#lib/base/balance.ts'
import { slices } from '#lib/base/collections.ts'
import { add, type Money, ZERO } from '#lib/base/money.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, type Key } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { type BALANCE_SUMS, balanceKey, SHARDS_OF_BALANCE } from './balance-item.ts'

const keysOfBalance = (accountId: number): Key[] =>
  Array.from({ length: SHARDS_OF_BALANCE }, (_, shard) => balanceKey(accountId, shard))

export interface AccountBalance {
  readonly account: WholeAccount
  readonly balance: Balance
  /** Its first part, which also says what the account owes (ledger.ts). */
  readonly item: Item | undefined
}

/** The balance of an account; `undefined` if there is no such account. One BatchGet of three small items. */
export const findBalance = async (store: Store, accountId: number): Promise<AccountBalance | undefined> =>
  (await findBalances(store, [accountId]))[0]

/** In the order of the ids: three items for each. */
export async function findBalances(
  store: Store,
  ids: readonly number[],
  consistency?: 'eventual',
): Promise<(AccountBalance | undefined)[]> {
  const keys = ids.flatMap((id) => [accountKey(id), ...keysOfBalance(id)])
  const items = await store.getMany(keys, consistency)
  return [...slices(items, 1 + SHARDS_OF_BALANCE)].map(([item, ...parts]) => {
    const account = item && accounts.read(item)
    return account && { account, balance: toBalance(account, parts), item: parts[0] }
  })
}

/** The balances of accounts that were read, in their order. One round trip for up to 50 of them. */
export async function balancesOfAccounts(
  store: Store,
  of: readonly { readonly id: number; readonly balance: Money }[],
): Promise<Balance[]> {
  const parts = [...slices(await store.getMany(of.flatMap(({ id }) => keysOfBalance(id))), SHARDS_OF_BALANCE)]
  return of.map((account, index) => toBalance(account, parts[index] ?? []))
}

const toBalance = (
  { balance: opening }: { readonly balance: Money },
  parts: readonly (Item | undefined)[],
): Balance => {
  const sumOf = (name: (typeof BALANCE_SUMS)[number]) =>
    add(...parts.map((part) => String(part?.[name] ?? ZERO)))
  return {
    opening,
    paid: sumOf('paid'),
    adjusted: sumOf('adjusted'),
    charged: sumOf('charged'),
    fees: sumOf('fees'),
  }
}
