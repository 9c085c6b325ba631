import * as v from 'valibot'
import { type Caller, findCallers, passwordHashSet } from '#lib/accounts/account.ts'
import { loginFailureKeys } from '#lib/accounts/login-failures.ts'
import { hashPassword, isWeakPassword, shortestPassword } from '#lib/accounts/password.ts'
import {
  choosingPassword,
  createSession,
  isValidSession,
  keyOfSession,
  noSession,
  removeSession,
  toSession,
} from '#lib/accounts/session.ts'
import { findWholeAccount } from '#lib/accounts/whole-account.ts'
import { type ACTIONS, type SECTIONS, sessionAnswer } from '#lib/api/console/answers/installation.ts'
import { pageIsOff, portalOf } from '#lib/api/console/portal.ts'
import { invalidValue } from '#lib/api/console/refusals.ts'
import {
  type ConsoleRequest,
  defineResource,
  EVERY_ACCOUNT,
  operation,
  WithCookie,
} from '#lib/api/console/resource.ts'
import { endedSessionCookie, newSessionCookie } from '#lib/api/console/session-cookie.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { anyText, sentText } from '#lib/api/console/values.ts'
import { addressCounter, attempted, countedWork, logIn, loginCounters, mailCounter } from '#lib/api/login.ts'
import { type AccountType, displayName, MANAGERS, OPERATORS, OWNERS } from '#lib/base/account-types.ts'
import { secondsOf, today } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT, seesEveryone } from '#lib/base/scope.ts'
import { forgottenMail } from '#lib/invoicing/mails/password-acts.ts'
import { requirePasswordMails } from '#lib/invoicing/mails/password-mails.ts'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import { mayChangeSettings } from '#lib/settings/settings.ts'
import { is } from '#lib/table/requests/changes.ts'
import { hasWritten, ignoreConditionFailed } from '#lib/table/requests/retries.ts'

const passwords = { current: sentText, wanted: anyText }

type PasswordRequest = ConsoleRequest<typeof passwords, typeof loginCounters>

export const resource = defineResource({
  name: 'session',
  access: 'write',
  operations: [
    operation('GET', '/session', {
      summary: 'The account that is signed in, and what it may do.',
      callers: EVERY_ACCOUNT,
      answer: sessionAnswer,
      run: async (request) => describe(request, request.caller),
    }),
    operation('POST', '/session', {
      summary: 'Signs in: sets a cookie that lasts 12 hours.',
      callers: 'anyone',
      params: { username: sentText, password: sentText },
      answer: sessionAnswer,
      loads: loginCounters,
      run: async (request) => {
        const { params, store, clock, root } = request
        const account = await logIn(request, params)
        if (account === 'wait') throw tooManyAttempts()
        if (account === 'failed') throw wrongCredentials()
        if (account.usertype === 'user' && !request.settings.Customer_Page) throw pageIsOff()
        const token = await createSession(store, account, secondsOf(clock()))
        const cookie = newSessionCookie({ username: account.username, token }, root)
        return new WithCookie(await describe(request, account), cookie)
      },
    }),
    operation('PUT', '/session/password', {
      summary: 'Replaces the password of the account that is signed in. Its other sessions end.',
      callers: EVERY_ACCOUNT,
      params: passwords,
      answer: sessionAnswer,
      loads: loginCounters,
      run: async (request) => {
        const { store, clock, root } = request
        const account = await replacePassword(request)
        const token = await createSession(store, account, secondsOf(clock()))
        const cookie = newSessionCookie({ username: account.username, token }, root)
        return new WithCookie(await describe(request, account), cookie)
      },
    }),
    operation('POST', '/session/forgotten', {
      summary:
        'Asks for a mail with a link to choose a password. The answer is the same for every name: it never tells whether there is such an account.',
      callers: 'anyone',
      params: { username: sentText },
      answer: v.object({}),
      loads: mailCounter,
      run: async (request) => {
        requirePasswordMails(request.settings)
        const asked = await countedWork(request, () => askForMail(request), loginFailureKeys.ofMails)
        if (asked === 'wait') throw tooManyAttempts()
        return {}
      },
    }),
    operation('POST', '/session/password', {
      summary: 'Chooses a password by the token of a mail, once. Every session of the account ends.',
      callers: 'anyone',
      params: { token: sentText, wanted: anyText },
      answer: v.object({ username: v.string() }),
      loads: addressCounter,
      run: async (request) => {
        refuseUnfit(request.params.wanted, request.settings)
        const username = await attempted(request, () => choosePassword(request, request.params))
        if (username === 'wait') throw tooManyAttempts()
        return { username: username.chosen }
      },
    }),
    operation('DELETE', '/session', {
      summary: 'Signs out: ends the session and removes its cookie.',
      callers: EVERY_ACCOUNT,
      answer: v.object({}),
      run: async ({ store, token, root }) => {
        await removeSession(store, token)
        return new WithCookie({}, endedSessionCookie(root))
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

/** For every name the same reads, and one write of one item: its time tells nothing. */
async function askForMail({ store, namedAccount, clock }: ConsoleRequest): Promise<void> {
  const asked = await forgottenMail(store, namedAccount?.id ?? ADMIN_ACCOUNT, clock())
  await store
    .transact([(namedAccount && asked) ?? noSession(secondsOf(clock()))])
    .catch(ignoreConditionFailed)
}

/** The link of a mail works once, while the account is unchanged. */
async function choosePassword(
  { store, clock }: ConsoleRequest,
  { token, wanted }: { readonly token: string; readonly wanted: string },
): Promise<{ readonly chosen: string }> {
  const session = toSession(await store.get(keyOfSession(token)))
  const [account] = session ? await findCallers(store, [session.username]) : []
  const whole = account && (await findWholeAccount(store, account.id))
  const now = clock()
  if (!session || !account || !whole || !isValidSession(session, account, now, choosingPassword(whole)))
    throw linkEnded()
  const { id, username } = account
  const changes = [
    passwordHashSet({ id, username, password_hash: await hashPassword(wanted) }),
    { remove: keyOfSession(token), when: { account: is(session.account) } },
    inAuditLog({
      at: now.toISOString(),
      who: username,
      account: username,
      account_id: id,
      did: 'chose its password by mail',
    }),
  ]
  if (!(await hasWritten(store.transact(changes)))) throw linkEnded()
  return { chosen: username }
}

const linkEnded = () => new Refusal('link_ended', {})

const tooManyAttempts = () => new Refusal('too_many_attempts', {})

const wrongCredentials = (signedIn?: true) => new Refusal('wrong_credentials', { signedIn })

async function describe(
  { store, settings, clock }: Pick<ConsoleRequest, 'store' | 'settings' | 'clock'>,
  account: Caller,
) {
  const { id, username, usertype } = account
  return {
    id,
    username,
    name: displayName(account),
    type: usertype,
    ...rightsOf(account),
    currency: settings.Default_Currency,
    zone: settings.Timezone,
    today: today(clock(), settings.Timezone),
    portal: await portalOf(store, settings, account),
  }
}

/** Checks the current password as a sign-in does, counted in the same way, and stores the wanted one. */
async function replacePassword(request: PasswordRequest): Promise<Caller> {
  const { caller, params, settings, store, logged, claim } = request
  const { id, username } = caller
  refuseUnfit(params.wanted, settings)
  const account = await logIn(request, { username, password: params.current })
  if (account === 'wait') throw tooManyAttempts()
  if (account === 'failed') throw wrongCredentials(true)
  const changed = { ...account, password_hash: await hashPassword(params.wanted) }
  const entry = logged({ account: username, account_id: id, did: 'changed its password' })
  await store.transact([passwordHashSet(changed), entry, ...claim])
  return changed
}

function refuseUnfit(wanted: string, settings: ConsoleRequest['settings']): void {
  const least = shortestPassword(settings)
  if (wanted.length < least)
    throw invalidValue(`The new password is too short: use at least ${least} characters`)
  if (isWeakPassword(settings, wanted))
    throw invalidValue('The new password is too weak: use a digit, a capital letter and a small letter')
}

type Section = (typeof SECTIONS)[number]
type Action = (typeof ACTIONS)[number]

/** Who sees which sections and may do what. The operations decide: this only tells the page what to show. */
const RIGHTS: readonly (readonly [readonly AccountType[], readonly Section[], readonly Action[]])[] = [
  [MANAGERS, ['overview', 'customers', 'calls', 'tariffs', 'billing', 'reports'], ['payments']],
  [MANAGERS, ['services', 'subscriptions', 'locations'], []],
  [OPERATORS, ['suspense', 'imports', 'providers', 'dids', 'currencies', 'explorer', 'refused-hash'], []],
  [['admin'], ['keys', 'switches', 'reratings'], ['imports', 'suspense']],
  [OWNERS, ['webhooks'], ['block', 'rollback']],
  [['reseller', 'partner'], ['settings'], []],
]

function rightsOf(account: Caller): { readonly sections: Section[]; readonly actions: Action[] } {
  const rights = RIGHTS.filter(([types]) =>
    types === OPERATORS ? seesEveryone(account) : types.includes(account.usertype),
  )
  const settings = mayChangeSettings(account) ? (['settings'] as const) : []
  return {
    sections: [
      ...rights.flatMap(([, sections]) => sections),
      ...(account.usertype === 'accountant' || account.usertype === 'admin' ? settings : []),
    ],
    actions: [...rights.flatMap(([, , actions]) => actions), ...settings],
  }
}
