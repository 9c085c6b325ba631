import * as v from 'valibot'
import { Refusal } from '#lib/base/refusal.ts'
import type { Stored } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, callerKey, type Key, keyForm, listedIn } from '#lib/table/keys.ts'
import { absent, type Change, is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { type Account, type Caller, findAccount, findAccounts, findCallers } from './account.ts'
import type { NamedKey } from './named-key.ts'

/** The account of each key, by the key's name. The key itself is in the account's item by username. */
export const namedKeyKeys = {
  item: keyForm('KEYNAME#<name>', 'KEYNAME'),
  /** In GSI1. */
  listed: keyForm('KEYNAMES', '<name>'),
}

const pointerSchema = v.object({ name: v.string(), account_id: v.number() })

export const readKeyPointer = (item: Item) => v.parse(pointerSchema, item)

export interface HeldKey {
  readonly key: NamedKey
  readonly caller: Caller
}

export async function findNamedKey(store: Store, name: string): Promise<HeldKey | undefined> {
  const [pointer] = await store.getMany([namedKeyKeys.item(name)])
  const [held] = pointer ? await heldKeys(store, [pointer]) : []
  return held
}

/** Every key, in the order of the names. */
export const listNamedKeys = async (store: Store): Promise<HeldKey[]> =>
  heldKeys(store, await store.list({ index: 'GSI1', partition: namedKeyKeys.listed.partition() }))

async function heldKeys(store: Store, pointers: readonly Item[]): Promise<HeldKey[]> {
  const named = pointers.map(readKeyPointer)
  const ids = named.map(({ account_id }) => account_id)
  const usernames = (await findAccounts(store, ids)).map((account) => account?.username ?? '')
  const callers = await findCallers(store, usernames)
  return named.flatMap(({ name }, index) => {
    const caller = callers[index]
    const key = caller?.keys?.find((one) => one.name === name)
    return key && caller ? [{ key, caller }] : []
  })
}

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly too_many_keys: { readonly most: number }
    readonly keys_too_long: { readonly most: number; readonly need: number }
  }
}

/** An account with its keys, as they were read. */
interface KeyHolder {
  readonly account: Stored<Pick<Account, 'id' | 'username'>>
  readonly keys: readonly NamedKey[] | undefined
}

/**
 * The changes that give a key of an account a new state, or revoke it. They fail if an import or another
 * command writes the account meanwhile, or another account's key has the name. Throws Refusal for more keys
 * than an account has room for.
 */
export function keyChanges(
  { account, keys = [] }: KeyHolder,
  name: string,
  after: NamedKey | undefined,
): Change[] {
  const before = keys.find((key) => key.name === name)
  const others = keys.filter((key) => key !== before)
  const all = after ? [...others, after] : others
  if (after) refuseTooMany(all)
  return [
    {
      update: callerKey(account.username),
      to: { set: { keys: all.length > 0 ? all : undefined } },
      when: { id: is(account.id) },
    },
    { update: accountKey(account.id), to: { add: { version: 1 } }, when: { version: is(account.version) } },
    ...pointerChange(account.id, name, before, after),
  ]
}

/** The account comes first, so that its version is never newer than the keys. */
export async function findKeysOf(store: Store, accountId: number): Promise<KeyHolder> {
  const account = await findAccount(store, accountId)
  if (!account) throw new Error(`There is no account ${accountId}`)
  const [caller] = await findCallers(store, [account.username])
  return { account, keys: caller?.keys }
}

function pointerChange(
  accountId: number,
  name: string,
  before: NamedKey | undefined,
  after: NamedKey | undefined,
): Change[] {
  const key: Key = namedKeyKeys.item(name)
  if (before) return after ? [] : [{ remove: key }]
  const put = { ...key, ...listedIn('GSI1', namedKeyKeys.listed(name)), name, account_id: accountId }
  return [{ put, when: { PK: absent } }]
}

/** Every request of the account reads the item with its keys, so their number and length are limited. */
export const MAX_KEYS_OF_ACCOUNT = 8
const MAX_CHARACTERS_OF_KEYS = 3000
/** Room for the previous secret of a key, so that no rotation is refused. Its time does not count. */
const CHARACTERS_OF_PREVIOUS = 100

function refuseTooMany(keys: readonly NamedKey[]): void {
  if (keys.length > MAX_KEYS_OF_ACCOUNT) throw new Refusal('too_many_keys', { most: MAX_KEYS_OF_ACCOUNT })
  const lengths = keys.map(
    ({ previous: _, rotated_at: __, ...key }) => JSON.stringify(key).length + CHARACTERS_OF_PREVIOUS,
  )
  const need = lengths.reduce((sum, length) => sum + length, 0)
  if (need > MAX_CHARACTERS_OF_KEYS)
    throw new Refusal('keys_too_long', { most: MAX_CHARACTERS_OF_KEYS, need })
}
