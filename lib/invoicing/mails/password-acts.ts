import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { refuseOthers } from '#lib/acts/accounts/account-acts.ts'
import { defineAct } from '#lib/acts/act.ts'
import { accountInput } from '#lib/acts/inputs.ts'
import { OWNERS } from '#lib/base/account-types.ts'
import { HOUR_SECONDS, secondsOf } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { isMailAddress } from '#lib/settings/declared-settings.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { askedPasswordMail, mailingKey, readMailing } from '../mailing.ts'
import { isOperators, requirePasswordMails } from './password-mails.ts'

/** A mail is asked for at most so often: strangers can ask for any account. */
const PAUSE_SECONDS = HOUR_SECONDS / 6

const keyOfPasswordMail = (account: number) => mailingKey(account, 'PASSWORD', account)

/**
 * The mail that somebody asks for who names an account; `undefined` if there is none to send. It reads the
 * same for every name, so that its time does not tell which accounts exist.
 */
export async function forgottenMail(store: Store, named: number, now: Date): Promise<Change | undefined> {
  const [account, before] = await Promise.all([
    findWholeAccount(store, named),
    store.get(keyOfPasswordMail(named)),
  ])
  if (!account || account.blocked || isOperators(account) || !isMailAddress(account.email.trim()))
    return undefined
  const until = before ? secondsOf(new Date(readMailing(before).asked)) + PAUSE_SECONDS : 0
  return secondsOf(now) < until
    ? undefined
    : askedPasswordMail(account, { by: '', now, before, isInvited: false })
}

export const inviteAccount = defineAct({
  summary: 'Send an account a mail with a link to choose its password, which works once within a week',
  callers: OWNERS,
  input: { account: accountInput('the account') },
  run: async ({ store, settings, now, actor }, { account }) => {
    const { id, username, email } = account
    refuseOthers({ actor }, account)
    if (isOperators(account)) throw new Refusal('operators_password', { username }, 'account')
    requirePasswordMails(settings)
    const to = email.trim()
    if (!isMailAddress(to)) throw new Refusal('no_mail_address', { account: username }, 'account')
    const before = await store.get(keyOfPasswordMail(id))
    return {
      changes: [askedPasswordMail(account, { by: actor.username, now, before, isInvited: true })],
      answer: { id, to },
      log: { account: username, account_id: id, did: 'was invited by mail' },
    }
  },
})
