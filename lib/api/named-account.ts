import { userKey } from '#lib/store/keys.ts'
import type { Contract } from './method.ts'
import { id } from './parameters.ts'

/** For a contract: the account under the first of these id parameters that is sent, read with settings and caller. */
export const namedAccount =
  (...parameters: readonly string[]): NonNullable<Contract['alongside']> =>
  (raw) => {
    const named = parameters.map((name) => id.read(raw[name], name))
    const accountId = named.find((one) => one !== undefined)
    return accountId === undefined ? [] : [userKey(accountId)]
  }
