import { type Caller, readAccount, readCaller } from '#lib/accounts/account.ts'
import { memoize } from '#lib/base/collections.ts'
import type { Entity } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, callerKey, type Key } from '#lib/table/keys.ts'
import { boundedParameter, idParam } from './parameters.ts'
import type { RawParameters } from './raw-parameters.ts'
import type { RequestFacts } from './request-context.ts'

/** An item that a contract loads: how to read it, and its key, from raw parameters and origin. */
export interface Load<T = unknown> {
  readonly key: (sent: RawParameters, from: RequestOrigin) => Key | undefined
  readonly read: (item: Item | undefined) => T
  /** A Lambda may remember the item for a second. */
  readonly mayBeRecent?: true
}

/** The client's address, the account's name, and its session's token; blank if missing. */
export type RequestOrigin = Readonly<Pick<RequestFacts, 'address' | 'username' | 'token'>>

/** The items that a contract needs, by name, read with settings and caller in one round trip. */
export type Loads = Readonly<Record<string, Load>>

/** The loaded items as a run receives them, by their names in the contract. */
export type LoadedBy<L extends Loads> = { readonly [K in keyof L]: ReturnType<L[K]['read']> }

/** The row whose id is in the first of these parameters that was sent. */
export const rowIn = <R>(
  { key, read }: { readonly key: (id: number) => Key; readonly read: (item: Item) => R },
  ...parameters: readonly string[]
): Load<R | undefined> => ({
  key: (sent) => {
    const ids = parameters.map((name) => idParam.read(boundedParameter(sent, name), name))
    const rowId = ids.find((one) => one !== undefined)
    return rowId === undefined ? undefined : key(rowId)
  },
  read: (item) => item && read(item),
})

/** The entry that leads to the row whose id is in this parameter. */
export const pointerIn = (
  { pointer, key }: Pick<Entity, 'pointer' | 'key'>,
  parameter: string,
): Load<Item | undefined> => rowIn({ key: pointer ?? key, read: (item) => item }, parameter)

/** The account in the first of these parameters that was sent. A run that changes it reads it itself. */
export const accountIn = (...parameters: readonly string[]) => ({
  ...rowIn({ key: accountKey, read: readAccount }, ...parameters),
  mayBeRecent: true as const,
})

/** Reads an item once, however many requests remember it. */
export const callerIn = memoize(readCaller)

export const accountByName = (parameter: string): Load<Caller | undefined> => ({
  key: ({ [parameter]: username }) => (username === undefined ? undefined : callerKey(username)),
  read: (item) => item && callerIn(item),
  mayBeRecent: true,
})

/** Checks loaded items and turns each into the form that the run receives. A damaged item throws. */
export const readLoads = (
  loads: Loads | undefined,
  items: Readonly<Record<string, Item | undefined>>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(loads ?? {}).map(([name, { read }]) => [name, read(items[name])]))
