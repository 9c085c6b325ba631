import * as v from 'valibot'
import { ACCOUNT_TYPES, type Actor, displayName, PERMISSIONS } from '#lib/base/account-types.ts'
import type { Seconds } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { isActiveAdmin } from '#lib/base/scope.ts'
import {
  addedLater,
  counter,
  currencyColumn,
  flag,
  forOperator,
  id,
  labelled,
  offering,
  oneOf,
  optionalId,
  type Row,
  requiredText,
  rowReader,
  secret,
  storedReader,
  text,
  unseen,
  visible,
} from '#lib/table/columns.ts'
import { batchedLookup, type Requirement, type RowLookup, readMany, type Stored } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, callerKey, keyForm } from '#lib/table/keys.ts'
import { merged, openLists } from '#lib/table/merge.ts'
import type { Consistency } from '#lib/table/requests/batches.ts'
import { type Change, is } from '#lib/table/requests/changes.ts'
import { ignoreConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { asOf, historyColumn } from './account-history.ts'
import type { NamedKey } from './named-key.ts'
import type { SecondFactor } from './second-factor.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly last_admin: { readonly username: string }
  }
}

export const ownerColumn = forOperator(
  labelled(id, 'Owner', 'the account that it belongs to; 0 is the operator'),
)

export const accountColumns = {
  id,
  username: labelled(visible(requiredText), 'Username', 'the name for signing in'),
  usertype: forOperator(
    labelled(oneOf(ACCOUNT_TYPES), 'Type', 'a reseller or partner has customers of its own'),
  ),
  owner_id: ownerColumn,
  first_name: text(),
  last_name: text(),
  tariff_id: labelled(optionalId, 'Tariff', 'the prices of its calls'),
  currency: currencyColumn,
  uniquehash: unseen(secret(text())),
  agreement_number: text(),
  clientid: labelled(text(), 'Client id', 'its number in other books'),
  blocked: flag(false, 'blocked'),
  /** Separated by commas or spaces. */
  permissions: forOperator(
    labelled(
      offering(text(), PERMISSIONS),
      'Permissions',
      'api_settings to change settings, manage_users to change accounts',
    ),
  ),
}

/** The only part of the profile that lists of accounts read: the console names accounts by it. */
export const companyColumn = addedLater(text(), '')

/** The history is apart from the columns: calls and months follow an account's values of their time. */
export const accountHistory = { history: historyColumn }

/** The account's copy under its name, which alone has the credentials. */
export interface Caller extends Row<typeof accountColumns>, Partial<Row<typeof accountHistory>> {
  readonly password_hash: string
  /** Blank: the account was never blocked. */
  readonly blocks?: number | undefined
  readonly keys: readonly NamedKey[] | undefined
  readonly second_factor?: SecondFactor | undefined
}

/** The credentials other than the password, which a change of other data keeps. */
export const otherCredentials = (caller: Pick<Caller, 'keys' | 'second_factor'> | undefined) => ({
  keys: caller?.keys,
  second_factor: caller?.second_factor,
})

const credentialsSchema = v.object({
  password_hash: text().schema,
  blocks: v.optional(v.number()),
  keys: v.optional(
    v.array(
      v.object({
        name: v.string(),
        secret: v.string(),
        methods: v.array(v.string()),
        from: v.string(),
        v2_only: v.boolean(),
        sign_all: v.optional(v.boolean()),
        added_at: v.string(),
        rotated_at: v.optional(v.string()),
        previous: v.optional(v.object({ secret: v.string(), until: v.number() })),
      }),
    ),
  ),
  second_factor: v.optional(v.object({ secret: v.string(), recovery: v.array(v.string()) })),
})

/** Reads the credentials from the copy under the account's name. */
export const readCredentials = (item: Item) => ({ keys: undefined, ...v.parse(credentialsSchema, item) })

const readAccountColumns = rowReader({ ...accountColumns, ...accountHistory })

export const readCaller = (item: Item): Caller => ({ ...readAccountColumns(item), ...readCredentials(item) })

/** The account under its id counts its devices. */
export const accountCounters = {
  device_count: counter,
  /** How often it was blocked: the sessions from before have ended. */
  blocks: counter,
}

export const listedColumns = {
  ...accountColumns,
  ...accountCounters,
  ...accountHistory,
  company_name: companyColumn,
}

export type Account = Stored<Row<typeof listedColumns>>

/** Reads the account under its id. whole-account.ts reads the columns that few functions need. */
export const readAccount: (item: Item) => Account = storedReader(listedColumns)

/** For rows that belong to an admin, a reseller or a partner. */
export const requiresOwner: Requirement = { column: 'owner_id', names: accountKey, isOwner: true }

export const accountLists = {
  ofOwner: keyForm('OWNER#<owner_id>', 'USER#<id>'),
  /** The accounts that own customers: admin, resellers, partners. */
  owners: keyForm('OWNERS', '<id>'),
}

export const toCaller = (item: Item | undefined): Caller | undefined => item && readCaller(item)

export const toAccount = (item: Item | undefined): Account | undefined => item && readAccount(item)

/** In the order of the ids. */
export const findAccounts = (
  store: Store,
  ids: readonly number[],
  consistency?: Consistency,
): Promise<(Account | undefined)[]> => readMany(store, ids.map(accountKey), readAccount, consistency)

export const findAccount = async (store: Store, accountId: number): Promise<Account | undefined> =>
  toAccount(await store.get(accountKey(accountId)))

export const accountNames = (
  store: Store,
  consistency?: Consistency,
  nameOf: (account: Account) => string = displayName,
): RowLookup<string> =>
  batchedLookup(async (ids) =>
    (await findAccounts(store, ids, consistency)).map((account) => account && nameOf(account)),
  )

/** In the order of the usernames. */
export const findCallers = async (
  store: Store,
  usernames: readonly string[],
): Promise<(Caller | undefined)[]> => (await store.getMany(usernames.map(callerKey))).map(toCaller)

/** Counts the accounts of the tariff's owner that have the tariff. It reads all accounts of the owner. */
export async function countAccountsWithTariff(
  store: Store,
  { id: tariffId, owner_id }: { readonly id: number; readonly owner_id: number },
  now: Seconds,
): Promise<number> {
  let count = 0
  for await (const page of store.pages({
    index: 'GSI1',
    partition: accountLists.ofOwner.partition(owner_id),
  })) {
    count += page.filter((item) => asOf(item, now)['tariff_id'] === tariffId).length
  }
  return count
}

/** The ids of the accounts that own customers, ascending. A list of "everyone" reads their lists. */
export async function listOwnerIds(store: Store): Promise<number[]> {
  const owners = await store.list({ index: 'GSI1', partition: accountLists.owners.partition() })
  return owners.map(({ id: ownerId }) => Number(ownerId))
}

/** The highest id of an account, 0 for a new installation. One query for each owner, all at once. */
export async function highestAccountId(store: Store): Promise<number> {
  const owners = await listOwnerIds(store)
  const ids = await Promise.all(owners.map((ownerId) => highestIdOf(store, ownerId)))
  return Math.max(0, ...ids)
}

async function highestIdOf(store: Store, ownerId: number): Promise<number> {
  const { partition, prefix } = accountLists.ofOwner.range(ownerId)
  const [newest] = await store.firstPage({ index: 'GSI1', partition, prefix, newestFirst: true, pageSize: 1 })
  return Number(newest?.['id'] ?? 0)
}

export async function* listAccounts(store: Store): AsyncGenerator<Account> {
  for (const ownerId of await listOwnerIds(store)) {
    const pages = store.pages({ index: 'GSI1', partition: accountLists.ofOwner.partition(ownerId) })
    for await (const page of pages) yield* page.map(readAccount)
  }
}

/** The first accounts of an owner in the order of their ids, from after an id on. */
export async function firstAccountsOf(
  store: Store,
  ownerId: number,
  { after, pageSize }: { readonly after: number | undefined; readonly pageSize: number },
): Promise<Account[]> {
  const { partition, prefix } = accountLists.ofOwner.range(ownerId)
  const from = after === undefined ? prefix : `${accountLists.ofOwner(ownerId, after).SK} `
  const page = await store.firstPage({ index: 'GSI1', partition, pageSize, between: [from, `${prefix}~`] })
  return page.map(readAccount)
}

/**
 * The accounts of these owners, ascending by id, batch by batch. `read` takes from an item what is needed:
 * all of it, or these attributes, `id` among them.
 */
export async function* accountsOfOwners<T>(
  store: Store,
  ownerIds: readonly number[],
  read: (item: Item) => T,
  attributes?: readonly string[],
): AsyncGenerator<T[]> {
  const lists = ownerIds.map((ownerId) =>
    store.pages({
      index: 'GSI1',
      partition: accountLists.ofOwner.partition(ownerId),
      ...(attributes && { attributes }),
    }),
  )
  for await (const batch of merged(await openLists(lists), ({ id: accountId }) => Number(accountId)))
    yield batch.map(read)
}

export async function listActiveAdmins(store: Store): Promise<Caller[]> {
  const owners = await store.list({ index: 'GSI1', partition: accountLists.owners.partition() })
  return owners.map(readCaller).filter(isActiveAdmin)
}

/**
 * The conditions under which an admin stays active when this account is blocked, or becomes `after`. Throws
 * Refusal for the last active admin.
 */
export async function anAdminStays(
  store: Store,
  before: Actor & Pick<Caller, 'username' | 'blocked'>,
  after?: Actor & Pick<Caller, 'blocked'>,
): Promise<Change[]> {
  if (!isActiveAdmin(before) || (after && isActiveAdmin(after))) return []
  const other = (await listActiveAdmins(store)).find(({ id: otherId }) => otherId !== before.id)
  if (!other) throw new Refusal('last_admin', { username: before.username })
  return [{ check: callerKey(other.username), when: { usertype: is('admin'), blocked: is(false) } }]
}

/** Stores a new hash of the same password, unless the password was changed meanwhile. */
export async function replacePasswordHash(store: Store, caller: Caller, rehashed: string): Promise<void> {
  const unchanged = { password_hash: is(caller.password_hash) }
  await store
    .update(callerKey(caller.username), { set: { password_hash: rehashed } }, unchanged)
    .catch(ignoreConditionFailed)
}

/** Sets an account's password, unless the name belongs to another account by now. */
export const passwordHashSet = ({
  id: accountId,
  username,
  password_hash,
}: Pick<Caller, 'id' | 'username' | 'password_hash'>): Change => ({
  update: callerKey(username),
  to: { set: { password_hash } },
  when: { id: is(accountId) },
})

/** Blocks or unblocks an account under its id and its name, unless another one has the name by now. */
export const blockedSet = (
  { id: accountId, username }: Pick<Caller, 'id' | 'username'>,
  blocked: boolean,
): Change[] => [
  {
    update: callerKey(username),
    to: { set: { blocked }, ...(blocked && { add: { blocks: 1 } }) },
    when: { id: is(accountId) },
  },
  {
    update: accountKey(accountId),
    to: { set: { blocked }, add: { version: 1, ...(blocked && { blocks: 1 }) } },
    when: { username: is(username) },
  },
]
