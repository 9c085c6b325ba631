import { readAccount, readCaller } from '#lib/accounts/account.ts'
import { isFormerText, TEXTS_SINCE } from '#lib/accounts/account-text.ts'
import { formerNameKey } from '#lib/accounts/former-name.ts'
import { loginFailureKeys } from '#lib/accounts/login-failures.ts'
import { namedKeyKeys, readKeyPointer } from '#lib/accounts/named-key-stored.ts'
import { sessionKey } from '#lib/accounts/session.ts'
import { usedSignatureKey } from '#lib/accounts/used-signature.ts'
import { accounts } from '#lib/accounts/whole-account.ts'
import { add, subtract } from '#lib/base/money.ts'
import { misplacement } from '#lib/base/scope.ts'
import { holdsKey, readHold, readHolds } from '#lib/control/holds.ts'
import { accountKey, callerKey, type KeyValues, keyIn } from '#lib/table/keys.ts'
import { alone, expectItem, expectValues, type FormRule, type Rule, under } from './expectation.ts'

/** An account belongs to an owner that accounts of its type can have. */
const accountRule: Rule = (item) => {
  const account = readAccount(item)
  const reason = misplacement(account)
  if (reason === undefined) return []
  const { id, username, usertype, owner_id } = account
  const wrong = `Account ${id}, ${username}, of type ${usertype} belongs to account ${owner_id}, but ${reason}: import it again.`
  return [{ wrong }]
}

const keyOfAccount = (name: string, account: number): string => `key ${name} of account ${account}`

/** The name of each key of an account leads to the account. */
const keysOfCallerRule: Rule = (item) => {
  const { id, keys = [] } = readCaller(item)
  return keys.flatMap(({ name }) => {
    const at = namedKeyKeys.item(name)
    const otherwise = `The key ${name} of account ${id} signs, but cannot be listed or revoked: restore the item ${at.PK}.`
    return [{ gives: keyOfAccount(name, id) }, expectValues(at, { name, account_id: id }, otherwise)]
  })
}

/** The account that the name of a key leads to has the key. */
const keyNameRule: Rule = (item) => {
  const { name, account_id } = readKeyPointer(item)
  const otherwise = `${keyIn(item).PK} leads to account ${account_id}, which has no key ${name}: remove the item.`
  return [{ needs: keyOfAccount(name, account_id), otherwise }]
}

/** The sum and the number of the holds of an account are in the same item, written by the same updates. */
const holdsRule: Rule<KeyValues<typeof holdsKey>> = (item, _circumstances, { account }) => {
  const { held, open, texts } = readHolds(item)
  const sum = add('0', ...[...texts.values()].map((text) => readHold(text).amount))
  const isRight = subtract(held, sum) === '0' && open === texts.size
  const wrong = `Account ${account} holds ${held} for ${open} calls, but its holds are ${texts.size} of ${sum}: npx tollgate holds release ${account} --recount`
  return [
    expectItem(accountKey(Number(account)), `Holds are of account ${account}, which does not exist.`),
    ...(isRight ? [] : [{ wrong }]),
  ]
}

export const rulesOfAccounts: readonly FormRule[] = [
  ...alone(loginFailureKeys.ofAddress, sessionKey, formerNameKey, usedSignatureKey),
  under(accounts.key, accountRule),
  under(callerKey, keysOfCallerRule),
  under(namedKeyKeys.item, keyNameRule),
  under(holdsKey, holdsRule),
  (item, { format }) => (format < TEXTS_SINCE && isFormerText(item) ? [] : undefined),
]
