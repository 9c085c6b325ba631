import * as v from 'valibot'
import { type Caller, findCallers, passwordHashSet } from '#lib/accounts/account.ts'
import { loginFailureKeys } from '#lib/accounts/login-failures.ts'
import { hashPassword, lackOfPassword } from '#lib/accounts/password.ts'
import {
  authenticatorUri,
  isFactorSecret,
  newFactorSecret,
  newSecondFactor,
  secondFactorSet,
  stepOfCode,
  typedCode,
} from '#lib/accounts/second-factor.ts'
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
import {
  type ACTIONS,
  type SECTIONS,
  secondFactorAnswer,
  secondFactorOnAnswer,
  sessionAnswer,
} from '#lib/api/console/answers/installation.ts'
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
import {
  addressCounter,
  attempted,
  checkCode,
  codeUsed,
  confirmPassword,
  countedWork,
  logIn,
  loginCounters,
  mailCounter,
} from '#lib/api/login.ts'
import { type AccountType, displayName, MANAGERS, OPERATORS, OWNERS } from '#lib/base/account-types.ts'
import { secondsOf, today } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT, seesEveryone } from '#lib/base/scope.ts'
import { qrCode } from '#lib/invoicing/documents/transfer-code.ts'
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
      summary:
        'Signs in: sets a cookie that lasts 12 hours. An account with a second factor also needs a code: without one the refusal is `code_needed`.',
      callers: 'anyone',
      params: { username: sentText, password: sentText, code: sentText },
      answer: sessionAnswer,
      loads: loginCounters,
      run: async (request) => {
        const { params } = request
        const account = await logIn(request, params)
        if (account === 'wait') throw tooManyAttempts()
        if (account === 'failed') throw wrongCredentials()
        if (account.usertype === 'user' && !request.settings.Customer_Page) throw pageIsOff()
        await requireCode(request, account, params.code)
        return new WithCookie(await describe(request, account), await cookieOfSession(request, account))
      },
    }),
    operation('PUT', '/session/password', {
      summary: 'Replaces the password of the account that is signed in. Its other sessions end.',
      callers: EVERY_ACCOUNT,
      params: passwords,
      answer: sessionAnswer,
      loads: loginCounters,
      run: async (request) => {
        const account = await replacePassword(request)
        return new WithCookie(await describe(request, account), await cookieOfSession(request, account))
      },
    }),
    operation('GET', '/session/second-factor', {
      summary:
        'The secret for an authenticator to begin a second factor, or the remaining recovery codes. A plain user is offered none.',
      callers: EVERY_ACCOUNT,
      answer: secondFactorAnswer,
      run: async ({ caller: { username, usertype, second_factor }, settings }) => {
        const recoveryCodes = second_factor?.recovery.length ?? null
        if (second_factor || usertype === 'user') return { offered: null, recoveryCodes }
        const secret = newFactorSecret()
        const uri = authenticatorUri(secret, settings.Seller_Name || 'Tollgate', username)
        return { offered: { secret, uri, code: qrCode(uri) }, recoveryCodes }
      },
    }),
    operation('PUT', '/session/second-factor', {
      summary:
        'Switches the second factor of the account on, and answers its recovery codes once. Its other sessions end.',
      callers: MANAGERS,
      params: { current: sentText, secret: sentText, code: sentText },
      answer: secondFactorOnAnswer,
      loads: loginCounters,
      run: async (request) => {
        const { params, store, clock, logged, claim } = request
        if (!isFactorSecret(params.secret)) throw invalidValue('secret takes what the page offered')
        const { id, username, second_factor } = request.caller
        if (second_factor) throw new Refusal('second_factor_on', {})
        const account = await confirmPassword(request, request.caller.username, params.current)
        const now = secondsOf(clock())
        const step = stepOfCode(params.secret, typedCode(params.code), now)
        if (step === undefined) throw new Refusal('wrong_code', {})
        const { factor, codes } = newSecondFactor(params.secret)
        const entry = logged({ account: username, account_id: id, did: 'switched its second factor on' })
        const changes = [...secondFactorSet(account, factor), codeUsed(id, step, now)]
        await store.transact([...changes, entry, ...claim])
        const cookie = await cookieOfSession(request, { ...account, second_factor: factor })
        return new WithCookie({ recovery: [...codes] }, cookie)
      },
    }),
    operation('POST', '/session/second-factor/off', {
      summary: 'Switches the second factor of the account off. Its other sessions end.',
      callers: EVERY_ACCOUNT,
      params: { current: sentText, code: sentText },
      answer: v.object({}),
      loads: loginCounters,
      run: async (request) => {
        const { params, store, logged, claim } = request
        const { id, username, second_factor } = request.caller
        if (!second_factor) throw new Refusal('no_second_factor', { username })
        const account = await confirmPassword(request, request.caller.username, params.current)
        await requireCode(request, account, params.code)
        const [present = account] = await findCallers(store, [username])
        const entry = logged({ account: username, account_id: id, did: 'switched its second factor off' })
        await store.transact([...secondFactorSet(present, undefined), entry, ...claim])
        const cookie = await cookieOfSession(request, { ...present, second_factor: undefined })
        return new WithCookie({}, cookie)
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

async function cookieOfSession(
  { store, clock, root }: Pick<ConsoleRequest, 'store' | 'clock' | 'root'>,
  account: Caller,
): Promise<string> {
  const token = await createSession(store, account, secondsOf(clock()))
  return newSessionCookie({ username: account.username, token }, root)
}

/** Asks for the code of an account that has a second factor, and for nothing of any other. */
async function requireCode(
  request: Pick<ConsoleRequest, 'store' | 'clock'>,
  account: Caller,
  code: string,
): Promise<void> {
  if (account.second_factor && code === '') throw new Refusal('code_needed', {})
  const checked = await checkCode(request, account, code)
  if (checked === 'wait') throw new Refusal('too_many_codes', {})
  if (checked === 'failed') throw new Refusal('wrong_code', {})
}

const tooManyAttempts = () => new Refusal('too_many_attempts', {})

const wrongCredentials = () => new Refusal('wrong_credentials', { signedIn: undefined })

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

async function replacePassword(request: PasswordRequest): Promise<Caller> {
  const { params, settings, store, logged, claim } = request
  refuseUnfit(params.wanted, settings)
  const account = await confirmPassword(request, request.caller.username, params.current)
  const { id, username } = account
  const changed = { ...account, password_hash: await hashPassword(params.wanted) }
  const entry = logged({ account: username, account_id: id, did: 'changed its password' })
  await store.transact([passwordHashSet(changed), entry, ...claim])
  return changed
}

function refuseUnfit(wanted: string, settings: ConsoleRequest['settings']): void {
  const lack = lackOfPassword(settings, wanted)
  if (lack !== undefined) throw invalidValue(`The new password is unfit: use ${lack}`)
}

type Section = (typeof SECTIONS)[number]
type Action = (typeof ACTIONS)[number]

/** The sections that each role sees, and its acts. The operations decide: this only guides the page. */
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
