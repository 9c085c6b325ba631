import * as v from 'valibot'
import type { Item } from '#lib/table/items.ts'
import { accountKey, callerKey, type Key, keyForm, listedIn } from '#lib/table/keys.ts'
import { absent, type Change, is } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { type Caller, findAccount, findAccounts, findCallers } from './account.ts'
import { type NamedKey, tooManyKeys } from './named-key.ts'

// Keys

/** The account of each key, by the key's name. The key itself is in the account's item by username. */
export const namedKeyKeys = {
  item: keyForm('KEYNAME#<name>', 'KEYNAME'),
  /** In GSI1. */
  listed: keyForm('KEYNAMES', '<name>'),
}

// Shape

const pointerSchema = v.object({ name: v.string(), account_id: v.number() })

export const readKeyPointer = (item: Item) => v.parse(pointerSchema, item)

export interface HeldKey {
  readonly key: NamedKey
  readonly caller: Caller
}

// Access patterns

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

interface KeyChange {
  readonly accountId: number
  readonly name: string
  /** Returns the key's new state, given the stored one; `undefined` revokes it. Throws to change nothing. */
  readonly to: (stored: NamedKey | undefined) => NamedKey | undefined
  readonly logEntry: Change
}

/** Refuses keys that an account cannot have together. */
export class TooManyKeys extends Error {}

/**
 * Changes a key of an account and logs it, in one transaction. An import that writes the account meanwhile,
 * or another command, makes one of both read again. Throws TooManyKeys for more keys than an account has room
 * for, and ConditionFailed for a name that another account's key has.
 */
export const changeNamedKey = (store: Store, change: KeyChange): Promise<void> =>
  retryingRaces(store, async () => {
    const { account, keys = [] } = await findHolder(store, change.accountId)
    const before = keys.find(({ name }) => name === change.name)
    const after = change.to(before)
    const others = keys.filter((key) => key !== before)
    const all = after ? [...others, after] : others
    const problem = after && tooManyKeys(all)
    if (problem !== undefined) throw new TooManyKeys(problem)
    await store.transact([
      {
        update: callerKey(account.username),
        to: { set: { keys: all.length > 0 ? all : undefined } },
        when: { id: is(account.id) },
      },
      { update: accountKey(account.id), to: { add: { version: 1 } }, when: { version: is(account.version) } },
      ...pointerChange(change, before, after),
      change.logEntry,
    ])
  })

/** The account comes first, so that its version is never newer than the keys. */
async function findHolder(store: Store, accountId: number) {
  const account = await findAccount(store, accountId)
  if (!account) throw new Error(`There is no account ${accountId}`)
  const [caller] = await findCallers(store, [account.username])
  return { account, keys: caller?.keys }
}

function pointerChange(
  { name, accountId }: KeyChange,
  before: NamedKey | undefined,
  after: NamedKey | undefined,
): Change[] {
  const key: Key = namedKeyKeys.item(name)
  if (before) return after ? [] : [{ remove: key }]
  const put = { ...key, ...listedIn('GSI1', namedKeyKeys.listed(name)), name, account_id: accountId }
  return [{ put, when: { PK: absent } }]
}
