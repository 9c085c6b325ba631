import { type Account, type Caller, toAccount, toCaller } from '#lib/store/accounts/account.ts'
import type { Item } from '#lib/store/items.ts'
import { accountKey, callerKey, type Key } from '#lib/store/keys.ts'
import { id } from './parameters.ts'
import type { RawParameters } from './sent.ts'

/** Something that a request names: where it is, known from what was sent alone, and how its item is read. */
export interface Named<T = unknown> {
  readonly key: (sent: RawParameters, address: string) => Key | undefined
  readonly read: (item: Item | undefined) => T
}

/** What a contract wants to have read together with settings and caller, in the same round trip, each under a name. */
export type Names = Readonly<Record<string, Named>>

/** The account under the first of these id parameters that is sent. */
export const accountIn = (...parameters: readonly string[]): Named<Account | undefined> => ({
  key: (sent) => {
    const ids = parameters.map((name) => id.read(sent[name], name))
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
