import {
  type Account,
  keysOfAccount,
  keysOfCaller,
  toAccount,
  toCaller,
} from '#lib/store/accounts/account.ts'
import { accountKeys, callerKeys, tariffKeys } from '#lib/store/keys.ts'
import { agrees, listed, present, presentIfNamed, type Rule } from './statement.ts'

/** An account under its id: its copy under its name agrees with it, its owner is there, its devices are counted. */
export const accountRule: Rule = (item) => {
  const account = toAccount(item)
  if (!account) return []
  const subject = `Account ${account.id}`
  return [
    agrees(
      callerKeys.item(account.username),
      sharedColumns(account),
      `${subject} and its copy under the name ${account.username} differ.`,
    ),
    present(
      accountKeys.item(account.owner_id),
      `${subject} has the owner ${account.owner_id}, who is not there.`,
    ),
    ...presentIfNamed(
      account.tariff_id,
      tariffKeys.item,
      `${subject} has the tariff ${account.tariff_id}, which is not there.`,
    ),
    { of: `devices of account ${account.id}`, says: account.device_count },
    ...listed(item, indexOf(keysOfAccount(account)), subject),
  ]
}

/** The copy under the name: it belongs to the account that has the name. */
export const callerRule: Rule = (item) => {
  const caller = toCaller(item)
  if (!caller) return []
  const subject = `The name ${caller.username}`
  return [
    agrees(accountKeys.item(caller.id), sharedColumns(caller), `${subject} and account ${caller.id} differ.`),
    ...listed(item, indexOf(keysOfCaller(caller)), subject),
  ]
}

/** What gates and scopes ask of either. */
const sharedColumns = ({ id, username, usertype, owner_id, blocked }: Account) => ({
  ...{ id, username, usertype, owner_id, blocked },
})

const indexOf = ({
  PK: _,
  SK: __,
  ...index
}: ReturnType<typeof keysOfAccount> | ReturnType<typeof keysOfCaller>) => index
