import { ACCOUNT_TYPES, ownsCustomers } from '#lib/domain/accounts/account.ts'
import {
  flag,
  type Imported,
  id,
  importedReader,
  integer,
  oneOf,
  optionalId,
  type Row,
  requiredText,
  rowReader,
  text,
} from '#lib/store/columns.ts'
import { absent, absentOrIs, type Conditions, is } from '#lib/store/conditions.ts'
import { defineEntity } from '#lib/store/entity.ts'
import type { Item } from '#lib/store/items.ts'
import { accountKeys, callerKeys } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import { ignoreConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

export const accountColumns = {
  id,
  username: requiredText,
  usertype: oneOf(ACCOUNT_TYPES),
  owner_id: id,
  first_name: text(),
  last_name: text(),
  tariff_id: optionalId,
  currency: text(),
  uniquehash: text(),
  agreement_number: text(),
  clientid: text(),
  blocked: flag(false, 'blocked'),
  /** Words separated by commas or spaces; `api_settings` lets an account change settings. */
  permissions: text(),
}

export type Account = Row<typeof accountColumns>

/** The account's copy under its name carries the credentials: nothing else ever reads them. */
export type Caller = Account & { readonly password_hash: string }

/** The account under its id counts its devices. */
export type CountedAccount = Account & { readonly device_count: number }

const readCaller = rowReader({ ...accountColumns, password_hash: text() })
const readAccount = rowReader({ ...accountColumns, device_count: integer() })

/** An account with what it keeps of its dataset row. */
export type ImportedAccount = Imported<Account>

// Keys

/** Under its id, and listed with its owner's accounts. */
export const keysOfAccount = ({ id: accountId, owner_id }: Pick<Account, 'id' | 'owner_id'>) => ({
  ...accountKeys.item(accountId),
  GSI1PK: accountKeys.ofOwner(owner_id),
  GSI1SK: accountKeys.place(accountId),
})

/** Under its name; those who own customers are listed in the directory of owners. */
export const keysOfCaller = (account: Pick<Account, 'id' | 'username' | 'usertype'>) => ({
  ...callerKeys.item(account.username),
  ...(ownsCustomers(account) && { GSI1PK: accountKeys.owners, GSI1SK: accountKeys.place(account.id) }),
})

// Access patterns

export const toCaller = (item: Item | undefined): Caller | undefined => item && readCaller(item)

export const toAccount = (item: Item | undefined): CountedAccount | undefined =>
  item && readAccount({ device_count: 0, ...item })

export async function findAccount(store: Store, accountId: number): Promise<CountedAccount | undefined> {
  return toAccount(await store.get(accountKeys.item(accountId)))
}

export const { findMany: findAccounts } = defineEntity({
  key: accountKeys.item,
  read: importedReader(accountColumns),
})

export const { findMany: findCallers } = defineEntity({ key: callerKeys.item, read: readCaller })

/** How many accounts of its owner have the tariff; as many are read as the owner has. */
export async function countAccountsWithTariff(
  store: Store,
  { id: tariffId, owner_id }: { readonly id: number; readonly owner_id: number },
): Promise<number> {
  let count = 0
  for await (const page of store.pages({ index: 'GSI1', partition: accountKeys.ofOwner(owner_id) })) {
    count += page.filter(({ tariff_id }) => tariff_id === tariffId).length
  }
  return count
}

/** The customer of an owner with the lowest id, if there is any. */
export async function findCustomer(store: Store, ownerId: number): Promise<Account | undefined> {
  const pages = store.pages({ index: 'GSI1', partition: accountKeys.ofOwner(ownerId), pageSize: 2 })
  for await (const page of pages) {
    const customer = page.find(({ id: customerId }) => customerId !== ownerId)
    if (customer) return toAccount(customer)
  }
  return undefined
}

/** The ids of all who own customers, ascending: the directory through which "everyone" is answered. */
export async function listOwnerIds(store: Store): Promise<number[]> {
  const owners = await store.list({ index: 'GSI1', partition: accountKeys.owners })
  return owners.map(({ id: ownerId }) => Number(ownerId))
}

/** Whether anybody is there who could own accounts; an installation that begins has nobody. */
export async function hasOwners(store: Store): Promise<boolean> {
  const pages = store.pages({ index: 'GSI1', partition: accountKeys.owners, pageSize: 1 })
  for await (const page of pages) if (page.length > 0) return true
  return false
}

/**
 * The account and its copy under its name in place of what was read; its count of devices stays. Throws ConditionFailed
 * when the account has changed since, or its name belongs to another one.
 */
export const replaceAccount = (
  store: Store,
  before: ImportedAccount | undefined,
  { password_hash, ...after }: ImportedAccount & Caller,
): Promise<void> => {
  const { digest: _, ...account } = after
  return store.transact([
    asAccount(after, before ? { username: is(before.username) } : { PK: absent }),
    {
      put: { ...keysOfCaller(account), ...account, password_hash },
      when: { id: absentOrIs(account.id) },
    },
    ...(before && before.username !== after.username ? [{ remove: callerKeys.item(before.username) }] : []),
  ])
}

const asAccount = (account: ImportedAccount, when: Conditions): Change => {
  const { PK, SK, ...index } = keysOfAccount(account)
  return { update: { PK, SK }, to: { set: { ...index, ...account } }, when }
}

/** A new way of keeping the same password. When the password was changed meanwhile, that change stays. */
export async function replacePasswordHash(store: Store, caller: Caller, rehashed: string): Promise<void> {
  const unchanged = { password_hash: is(caller.password_hash) }
  await store
    .update(callerKeys.item(caller.username), { set: { password_hash: rehashed } }, unchanged)
    .catch(ignoreConditionFailed)
}
