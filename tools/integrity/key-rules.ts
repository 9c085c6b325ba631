import { readCaller } from '#lib/accounts/account.ts'
import { namedKeyKeys, readKeyPointer } from '#lib/accounts/named-key-stored.ts'
import { keyIn } from '#lib/table/keys.ts'
import { expectValues, type Rule } from './expectation.ts'

const keyOfAccount = (name: string, account: number): string => `key ${name} of account ${account}`

/** The name of each key of an account leads to the account. */
export const keysOfCallerRule: Rule = (item) => {
  const { id, keys = [] } = readCaller(item)
  return keys.flatMap(({ name }) => {
    const at = namedKeyKeys.item(name)
    const otherwise = `The key ${name} of account ${id} signs, but cannot be listed or revoked: restore the item ${at.PK}.`
    return [{ gives: keyOfAccount(name, id) }, expectValues(at, { name, account_id: id }, otherwise)]
  })
}

/** The account that the name of a key leads to has the key. */
export const keyNameRule: Rule = (item) => {
  const { name, account_id } = readKeyPointer(item)
  const otherwise = `${keyIn(item).PK} leads to account ${account_id}, which has no key ${name}: remove the item.`
  return [{ needs: keyOfAccount(name, account_id), otherwise }]
}
