import { ACCOUNT_TYPES, ownsCustomers } from '#lib/domain/accounts/account.ts'
import {
  counter,
  flag,
  type Imported,
  id,
  oneOf,
  optionalId,
  type Row,
  requiredText,
  rowReader,
  text,
} from '#lib/store/columns.ts'
import { is } from '#lib/store/conditions.ts'
import { defineEntity, picked, type Requirement, type Stored } from '#lib/store/entity.ts'
import { changesOf } from '#lib/store/entity-changes.ts'
import type { Item } from '#lib/store/items.ts'
import { accountKey, callerKey, keyForm, padded, tariffKey } from '#lib/store/keys.ts'
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

export const readCaller = rowReader({ ...accountColumns, password_hash: text() })

/** The account under its id counts its devices. */
const storedColumns = { ...accountColumns, device_count: counter }

export type StoredAccount = Stored<Row<typeof storedColumns>>

// Declaration

/** The reference of everything that belongs to an admin, a reseller or a partner. */
export const requiresOwner: Requirement = { column: 'owner_id', names: accountKey, isOwner: true }

const inAccountsOfOwner = keyForm('OWNER#<owner_id>', 'USER#<id>')

const ofOwner = (ownerId: number): string => inAccountsOfOwner.stretch(ownerId).partition

/** The directory of those who own customers: admin, resellers, partners. */
const OWNERS = 'OWNERS'

export const accounts = defineEntity({
  name: 'account',
  columns: storedColumns,
  key: accountKey,
  list: inAccountsOfOwner,
  claims: [{ key: callerKey, holds: toCallerItem }],
  requires: [requiresOwner, { column: 'tariff_id', names: tariffKey }],
})

/** An account that is read under its id has no password hash: its copy keeps the one that it has. */
function toCallerItem(account: Account & { readonly password_hash?: string }): Item {
  return {
    ...picked(account, Object.keys(accountColumns)),
    ...(account.password_hash !== undefined && { password_hash: account.password_hash }),
    ...(ownsCustomers(account) && { GSI1PK: OWNERS, GSI1SK: padded(account.id) }),
  }
}

// Access patterns

export const toCaller = (item: Item | undefined): Caller | undefined => item && readCaller(item)

export const toAccount = (item: Item | undefined): StoredAccount | undefined => item && accounts.read(item)

export const { find: findAccount, findMany: findAccounts } = accounts

/** In the order of the usernames. */
export const findCallers = async (
  store: Store,
  usernames: readonly string[],
): Promise<(Caller | undefined)[]> => (await store.getMany(usernames.map(callerKey))).map(toCaller)

/** How many accounts of its owner have the tariff; as many are read as the owner has. */
export async function countAccountsWithTariff(
  store: Store,
  { id: tariffId, owner_id }: { readonly id: number; readonly owner_id: number },
): Promise<number> {
  let count = 0
  for await (const page of store.pages({ index: 'GSI1', partition: ofOwner(owner_id) })) {
    count += page.filter(({ tariff_id }) => tariff_id === tariffId).length
  }
  return count
}

/** The customer of an owner with the lowest id, if there is any. */
export async function findCustomer(store: Store, ownerId: number): Promise<Account | undefined> {
  const pages = store.pages({ index: 'GSI1', partition: ofOwner(ownerId), pageSize: 2 })
  for await (const page of pages) {
    const customer = page.find(({ id: customerId }) => customerId !== ownerId)
    if (customer) return toAccount(customer)
  }
  return undefined
}

/** The ids of all who own customers, ascending: the directory through which "everyone" is answered. */
export async function listOwnerIds(store: Store): Promise<number[]> {
  const owners = await store.list({ index: 'GSI1', partition: OWNERS })
  return owners.map(({ id: ownerId }) => Number(ownerId))
}

/** Whether anybody is there who could own accounts; an installation that begins has nobody. */
export async function hasOwners(store: Store): Promise<boolean> {
  const pages = store.pages({ index: 'GSI1', partition: OWNERS, pageSize: 1 })
  for await (const page of pages) if (page.length > 0) return true
  return false
}

/**
 * Puts the account and its copy under its name in place of what was read. Throws ConditionFailed when the account has
 * changed since, or its name belongs to another one.
 */
export const replaceAccount = (
  store: Store,
  before: StoredAccount | undefined,
  after: Imported<Caller>,
): Promise<void> =>
  store.transact(changesOf(accounts, before, { ...after, device_count: before?.device_count ?? 0 }))

/** A new way of keeping the same password. When the password was changed meanwhile, that change stays. */
export async function replacePasswordHash(store: Store, caller: Caller, rehashed: string): Promise<void> {
  const unchanged = { password_hash: is(caller.password_hash) }
  await store
    .update(callerKey(caller.username), { set: { password_hash: rehashed } }, unchanged)
    .catch(ignoreConditionFailed)
}
