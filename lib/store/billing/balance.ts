import type { Balance } from '#lib/domain/billing/balance.ts'
import { add, type Money, ZERO } from '#lib/domain/money.ts'
import { type StoredAccount, toAccount } from '#lib/store/accounts/account.ts'
import type { Item } from '#lib/store/items.ts'
import { accountKey, type Key, keyForm } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

// Keys

/** The sums of an account since Balance_From. Payments and adjustments are in the first part, calls in any of them. */
export const balanceKey = keyForm('BALANCE#<account>#<shard>', 'BALANCE')

/** Calls of an account are charged in as many parts as its calls are counted in: a balance is read with one unit for each. */
const SHARDS_OF_BALANCE = 2

const keysOfBalance = (accountId: number): Key[] =>
  Array.from({ length: SHARDS_OF_BALANCE }, (_, shard) => balanceKey(accountId, shard))

// Access patterns

/** An account and its balance. */
export interface AccountBalance {
  readonly account: StoredAccount
  readonly balance: Balance
}

/** The balance of an account; `undefined` if there is no such account. One BatchGet of three small items. */
export async function findBalance(store: Store, accountId: number): Promise<AccountBalance | undefined> {
  const [item, ...parts] = await store.getMany([accountKey(accountId), ...keysOfBalance(accountId)])
  const account = toAccount(item)
  return account && { account, balance: toBalance(account, parts) }
}

/** The balances of accounts that were read, in their order. One round trip for up to 50 of them. */
export async function balancesOfAccounts(
  store: Store,
  accounts: readonly { readonly id: number; readonly balance: Money }[],
): Promise<Balance[]> {
  const parts = await store.getMany(accounts.flatMap(({ id }) => keysOfBalance(id)))
  return accounts.map((account, index) =>
    toBalance(account, parts.slice(index * SHARDS_OF_BALANCE, (index + 1) * SHARDS_OF_BALANCE)),
  )
}

const toBalance = (
  { balance: opening }: { readonly balance: Money },
  parts: readonly (Item | undefined)[],
): Balance => {
  const sumOf = (name: string) => add(...parts.map((part) => String(part?.[name] ?? ZERO)))
  return { opening, paid: sumOf('paid'), adjusted: sumOf('adjusted'), charged: sumOf('charged') }
}
