import { type Caller, findCallers, passwordHashSet } from '#lib/accounts/account.ts'
import { hashPassword } from '#lib/accounts/password.ts'
import {
  choosingPassword,
  isValidSession,
  keyOfSession,
  noSession,
  type Session,
  toSession,
} from '#lib/accounts/session.ts'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { newPasswordInput, refuseOthers, refuseUnfit } from '#lib/acts/accounts/account-acts.ts'
import { defineAct } from '#lib/acts/act.ts'
import { accountInput, secretInput } from '#lib/acts/inputs.ts'
import { ACCOUNT_TYPES, OWNERS } from '#lib/base/account-types.ts'
import { HOUR_SECONDS, secondsOf } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { isMailAddress } from '#lib/settings/declared-settings.ts'
import { type Change, is } from '#lib/table/requests/changes.ts'
import { ignoreConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { askedPasswordMail, mailingKey, readMailing } from '../mailing.ts'
import { isOperators, requirePasswordMails } from './password-mails.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** The link of a mail, to choose a password. */
    readonly link_ended: Record<never, never>
  }
}

/** A mail is asked for at most so often: strangers can ask for any account. */
const PAUSE_SECONDS = HOUR_SECONDS / 6

const keyOfPasswordMail = (account: number) => mailingKey(account, 'PASSWORD', account)

/**
 * Asks for the mail of a named account. For every name it reads the same, and writes one item: its time does
 * not tell which accounts exist.
 */
export async function askForPasswordMail(
  store: Store,
  named: { readonly id: number } | undefined,
  now: Date,
): Promise<void> {
  const asked = await forgottenMail(store, named?.id ?? ADMIN_ACCOUNT, now)
  await store.transact([(named && asked) ?? noSession(secondsOf(now))]).catch(ignoreConditionFailed)
}

/** `undefined` if there is none to send. */
async function forgottenMail(store: Store, named: number, now: Date): Promise<Change | undefined> {
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

/** The account that the link of a mail belongs to: it works once, while the account is unchanged. */
export async function holderOfLink(
  store: Store,
  token: string,
  now: Date,
): Promise<{ readonly account: Caller; readonly session: Session }> {
  const session = toSession(await store.get(keyOfSession(token)))
  const [account] = session ? await findCallers(store, [session.username]) : []
  const whole = account && (await findWholeAccount(store, account.id))
  if (session && account && whole && isValidSession(session, account, now, choosingPassword(whole)))
    return { account, session }
  throw new Refusal('link_ended', {})
}

export const choosePassword = defineAct({
  summary: 'Choose a password by the token of a mail, once, and end every session of the account',
  callers: ACCOUNT_TYPES,
  input: {
    token: secretInput('the token in the link of the mail', 'text', () => true),
    wanted: newPasswordInput,
  },
  run: async (context, { token, wanted }) => {
    const { store, now } = context
    refuseUnfit(context, wanted, 'wanted')
    const { account, session } = await holderOfLink(store, token, now)
    const { id, username } = account
    return {
      changes: [
        passwordHashSet({ id, username, password_hash: await hashPassword(wanted) }),
        { remove: keyOfSession(token), when: { account: is(session.account) } },
      ],
      answer: { username },
      log: { account: username, account_id: id, did: 'chose its password by mail' },
    }
  },
})
