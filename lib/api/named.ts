import { type Account, type Caller, toAccount, toCaller } from '#lib/store/accounts/account.ts'
import type { Item } from '#lib/store/items.ts'
import { accountKey, callerKey, type Key } from '#lib/store/keys.ts'
import { idParam } from './parameters.ts'
import type { RawParameters } from './raw-parameters.ts'

/** An item that a request names: its key, derived from the raw parameters, and how to read it. */
export interface Named<T = unknown> {
  readonly key: (sent: RawParameters, address: string) => Key | undefined
  readonly read: (item: Item | undefined) => T
}

/** The items that a contract needs, by name. They are read with the settings and the caller, in one round trip. */
export type Names = Readonly<Record<string, Named>>

/** The account whose id is in the first of these parameters that was sent. */
export const accountIn = (...parameters: readonly string[]): Named<Account | undefined> => ({
  key: (sent) => {
    const ids = parameters.map((name) => idParam.read(sent[name], name))
    const accountId = ids.find((one) => one !== undefined)
    return accountId === undefined ? undefined : accountKey(accountId)
  },
  read: toAccount,
})

/** The account whose username is in this parameter. */
export const accountByName = (parameter: string): Named<Caller | undefined> => ({
  key: ({ [parameter]: username }) => (username === undefined ? undefined : callerKey(username)),
  read: toCaller,
})
