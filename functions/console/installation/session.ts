import { type Caller, findCallers } from '#lib/accounts/account.ts'
import { loginFailureKeys } from '#lib/accounts/login-failures.ts'
import { authenticatorUri, newFactorSecret } from '#lib/accounts/second-factor.ts'
import { createSession, removeSession } from '#lib/accounts/session.ts'
import { beginSecondFactor, changeOwnPassword, endSecondFactor } from '#lib/acts/accounts/login-acts.ts'
import { carryOut } from '#lib/acts/act.ts'
import { readPlainInputs } from '#lib/acts/inputs.ts'
import { actOperation, contextFor, paramsOf } from '#lib/api/console/act-operation.ts'
import type { ACTIONS, SECTIONS } from '#lib/api/console/answers/installation.ts'
import { pageIsOff, portalOf } from '#lib/api/console/portal.ts'
import { type ConsoleRequest, defineResource, operation, WithCookie } from '#lib/api/console/resource.ts'
import { endedSessionCookie, newSessionCookie } from '#lib/api/console/session-cookie.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { sentText } from '#lib/api/console/values.ts'
import {
  addressCounter,
  attempted,
  countedWork,
  logIn,
  loginCounters,
  mailCounter,
  requireCode,
} from '#lib/api/login.ts'
import {
  ACCOUNT_TYPES,
  type AccountType,
  displayName,
  MANAGERS,
  OPERATORS,
  OWNERS,
} from '#lib/base/account-types.ts'
import { secondsOf, today } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { seesEveryone } from '#lib/base/scope.ts'
import { qrCode } from '#lib/invoicing/documents/transfer-code.ts'
import { askForPasswordMail, choosePassword, holderOfLink } from '#lib/invoicing/mails/password-acts.ts'
import { requirePasswordMails } from '#lib/invoicing/mails/password-mails.ts'
import { mayChangeSettings } from '#lib/settings/settings.ts'

export const resource = defineResource({
  name: 'session',
  access: 'write',
  operations: [
    operation('GET', '/session', {
      summary: 'The account that is signed in, and what it may do.',
      callers: ACCOUNT_TYPES,
      run: async (request) => describe(request, request.caller),
    }),
    operation('POST', '/session', {
      summary:
        'Signs in: sets a cookie that lasts 12 hours. An account with a second factor also needs a code: without one the refusal is `code_needed`.',
      callers: 'anyone',
      params: { username: sentText, password: sentText, code: sentText },
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
    actOperation('PUT', '/session/password', changeOwnPassword, {
      show: async (request) =>
        new WithCookie(await describe(request, request.caller), await newCookie(request)),
    }),
    operation('GET', '/session/second-factor', {
      summary:
        'The secret for an authenticator to begin a second factor, or the remaining recovery codes. A plain user is offered none.',
      callers: ACCOUNT_TYPES,
      run: async ({ caller: { username, usertype, second_factor }, settings }) => {
        const recoveryCodes = second_factor?.recovery.length ?? null
        if (second_factor || usertype === 'user') return { offered: null, recoveryCodes }
        const secret = newFactorSecret()
        const uri = authenticatorUri(secret, settings.Seller_Name || 'Tollgate', username)
        return { offered: { secret, uri, code: qrCode(uri) }, recoveryCodes }
      },
    }),
    actOperation('PUT', '/session/second-factor', beginSecondFactor, {
      show: async (request, answer) => new WithCookie(answer, await newCookie(request)),
    }),
    actOperation('POST', '/session/second-factor/off', endSecondFactor, {
      show: async (request, answer) => new WithCookie(answer, await newCookie(request)),
    }),
    operation('POST', '/session/forgotten', {
      summary:
        'Asks for a mail with a link to choose a password. The answer is the same for every name: it never tells whether there is such an account.',
      callers: 'anyone',
      params: { username: sentText },
      loads: mailCounter,
      run: async (request) => {
        requirePasswordMails(request.settings)
        const { store, namedAccount, clock } = request
        const ask = () => askForPasswordMail(store, namedAccount, clock())
        const asked = await countedWork(request, ask, loginFailureKeys.ofMails)
        if (asked === 'wait') throw tooManyAttempts()
        return {}
      },
    }),
    operation('POST', '/session/password', {
      summary: `${choosePassword.summary}.`,
      callers: 'anyone',
      params: paramsOf(choosePassword.input),
      loads: addressCounter,
      run: async (request) => {
        const { params, store, clock } = request
        const { token } = readPlainInputs(choosePassword.input, params)
        const holder = await attempted(request, () => holderOfLink(store, token, clock()))
        if (holder === 'wait') throw tooManyAttempts()
        return (await carryOut(choosePassword, contextFor(request, holder.account), params)).answer
      },
    }),
    operation('DELETE', '/session', {
      summary: 'Signs out: ends the session and removes its cookie.',
      callers: ACCOUNT_TYPES,
      run: async ({ store, token, root }) => {
        await removeSession(store, token)
        return new WithCookie({}, endedSessionCookie(root))
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

/** An act on the own login has ended the session that carried it out. */
async function newCookie(request: ConsoleRequest): Promise<string> {
  const { store, caller } = request
  const [account = caller] = await findCallers(store, [caller.username])
  return cookieOfSession(request, account)
}

async function cookieOfSession(
  { store, clock, root }: Pick<ConsoleRequest, 'store' | 'clock' | 'root'>,
  account: Caller,
): Promise<string> {
  const token = await createSession(store, account, secondsOf(clock()))
  return newSessionCookie({ username: account.username, token }, root)
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
