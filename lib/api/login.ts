import { type Caller, replacePasswordHash } from '#lib/accounts/account.ts'
import { LIMIT_OF_CODES, limitsFor, loginPlace } from '#lib/accounts/login.ts'
import {
  type CountedAttempt,
  countAttempt,
  keepCounted,
  type LoginCounter,
  loginFailureKeys,
  takeBackAttempt,
  toLoginFailures,
} from '#lib/accounts/login-failures.ts'
import { checkPassword } from '#lib/accounts/password.ts'
import {
  isTimeCode,
  secondFactorSet,
  stepOfCode,
  typedCode,
  withoutRecovery,
} from '#lib/accounts/second-factor.ts'
import type { OwnLogin } from '#lib/acts/context.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { isListed } from '#lib/base/trusted-addresses.ts'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Key } from '#lib/table/keys.ts'
import { absentOrBelow } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { ApiError } from './errors.ts'
import type { Load } from './loads.ts'

type Failures = LoginCounter['found']

/** The counter that the address of the client has under a key of its own. */
const counterOfAddress = (keyOf: (address: string) => Key): { readonly address: Load<Failures> } => ({
  address: { key: (_sent, { address }) => keyOf(address), read: toLoginFailures },
})

export const addressCounter = counterOfAddress(loginFailureKeys.ofAddress)

/** The counter of balances that the address of the client has read. */
export const balanceCounter = counterOfAddress(loginFailureKeys.ofBalances)

/** The counter of mails that the address of the client has asked for. */
export const mailCounter = counterOfAddress(loginFailureKeys.ofMails)

/** The counters of failed logins of the named account, and of the address of the client. */
export const loginCounters: { readonly pair: Load<Failures>; readonly address: Load<Failures> } = {
  pair: {
    key: (_sent, { username, address }) => loginFailureKeys.ofPair(username, address),
    read: toLoginFailures,
  },
  ...addressCounter,
}

/** A login request, with the counters of `loginCounters` and the username's account, if any. */
interface LoginRequest {
  readonly store: Store
  readonly clock: () => Date
  readonly settings: Settings
  readonly address: string
  readonly loaded: { readonly pair: Failures; readonly address: Failures }
  readonly namedAccount: Caller | undefined
}

/**
 * Checks username and password and counts failures (wire.md user_login). Returns the account with its present
 * hash, `failed` for wrong credentials or a blocked account, `wait` for an attempt over the limit.
 */
export async function logIn(
  request: LoginRequest,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<Caller | 'failed' | 'wait'> {
  const { namedAccount, store } = request
  const attempts = await countAttempts(request, countersOf(request, username))
  if (!attempts) return 'wait'

  const { matches, rehash } = await checkPassword(password, namedAccount?.password_hash)
  const isRight = namedAccount && !namedAccount.blocked && matches
  await Promise.all(attempts.map((attempt) => (isRight ? takeBackAttempt : keepCounted)(store, attempt)))
  if (!isRight) return 'failed'
  if (!rehash) return namedAccount
  const password_hash = await rehash()
  await replacePasswordHash(store, namedAccount, password_hash)
  return { ...namedAccount, password_hash }
}

/** The login of the account that is signed in. */
export const loginOfSession = (
  request: Omit<LoginRequest, 'loaded' | 'namedAccount'> & { readonly caller: Caller },
): OwnLogin => ({
  confirmPassword: async (password) => {
    const { store, address, caller } = request
    const { username } = caller
    const keys = [loginFailureKeys.ofPair(username, address), loginFailureKeys.ofAddress(address)]
    const [pair, ofAddress] = await store.getMany(keys)
    const loaded = { pair: toLoginFailures(pair), address: toLoginFailures(ofAddress) }
    const account = await logIn({ ...request, namedAccount: caller, loaded }, { username, password })
    if (account === 'wait') throw new Refusal('too_many_attempts', {})
    if (account === 'failed') throw new Refusal('wrong_credentials', { signedIn: true })
    return account
  },
  confirmCode: (account, code) => requireCode(request, account, code),
})

/** Asks for the code of an account that has a second factor, and for nothing of any other. Throws Refusal. */
export async function requireCode(
  request: Pick<LoginRequest, 'store' | 'clock'>,
  account: Caller,
  code: string,
): Promise<void> {
  if (account.second_factor && code === '') throw new Refusal('code_needed', {})
  const checked = await checkCode(request, account, code)
  if (checked === 'wait') throw new Refusal('too_many_codes', {})
  if (checked === 'failed') throw new Refusal('wrong_code', {})
}

/**
 * Checks the code of an account with a second factor, each of which is right once. Wrong codes are counted
 * for the account, before they are compared. A recovery code is too long to guess, so that nobody who knows
 * the password keeps the account's holder out: it is not counted.
 */
async function checkCode(
  { store, clock }: Pick<LoginRequest, 'store' | 'clock'>,
  account: Caller,
  typed: string,
): Promise<'right' | 'failed' | 'wait'> {
  const { id, second_factor: factor } = account
  if (!factor) return 'right'
  const code = typedCode(typed)
  if (!isTimeCode(code)) return (await useRecoveryCode({ store, clock }, account, code)) ? 'right' : 'failed'
  const key = loginFailureKeys.ofCodes(id)
  const found = toLoginFailures(await store.get(key))
  const attempt = await countAttempt(store, { key, limit: LIMIT_OF_CODES, found }, clock)
  if (!attempt) return 'wait'
  const step = stepOfCode(factor.secret, code, secondsOf(clock()))
  const isRight =
    step !== undefined &&
    (await hasWritten(store.update(key, { set: { step } }, { step: absentOrBelow(step) })))
  await (isRight ? takeBackAttempt : keepCounted)(store, attempt)
  return isRight ? 'right' : 'failed'
}

async function useRecoveryCode(
  { store, clock }: Pick<LoginRequest, 'store' | 'clock'>,
  account: Caller,
  code: string,
): Promise<boolean> {
  const { id, username, second_factor: factor } = account
  const left = factor && withoutRecovery(factor, code)
  if (!left) return false
  const did = `used a recovery code: ${left.recovery.length} are left`
  const entry = { at: clock().toISOString(), who: username, account: username, account_id: id, did }
  return hasWritten(store.transact([...secondFactorSet(account, left), inAuditLog(entry)]))
}

/**
 * Counts the attempt in every counter. Returns `undefined`, and counts nothing, if one of them is at its
 * limit. The address comes first: once it is at its limit, further names leave no counters.
 */
async function countAttempts(
  { store, clock }: Pick<LoginRequest, 'store' | 'clock'>,
  counters: readonly LoginCounter[],
): Promise<CountedAttempt[] | undefined> {
  if (counters.some(({ found, limit }) => loginPlace(found, limit, secondsOf(clock())) === 'refused'))
    return undefined
  const counted: CountedAttempt[] = []
  for (const counter of counters) {
    const attempt = await countAttempt(store, counter, clock)
    if (!attempt) {
      await Promise.all(counted.map((one) => takeBackAttempt(store, one)))
      return undefined
    }
    counted.push(attempt)
  }
  return counted
}

function countersOf(request: LoginRequest, username: string): LoginCounter[] {
  const { address, loaded, settings } = request
  const { pair: limit } = limitsFor(isListed(settings.Trusted_Login_Addresses, address))
  const pair = { key: loginFailureKeys.ofPair(username, address), limit, found: loaded.pair }
  return [...addressCounters(request), pair]
}

/** A trusted address has no counter of its own. */
function addressCounters(
  { address, loaded, settings }: StrangersRequest,
  keyOf: (address: string) => Key = loginFailureKeys.ofAddress,
): LoginCounter[] {
  const { address: limit } = limitsFor(isListed(settings.Trusted_Login_Addresses, address))
  return limit ? [{ key: keyOf(address), limit, found: loaded.address }] : []
}

/** A request of somebody who has no account, with the counter of `addressCounter`. */
interface StrangersRequest extends Pick<LoginRequest, 'store' | 'clock' | 'settings' | 'address'> {
  readonly loaded: Pick<LoginRequest['loaded'], 'address'>
}

/** Does work that counts as an attempt of the address, with any result. `wait` is over the limit. */
export async function countedWork<T>(
  request: StrangersRequest,
  work: () => Promise<T>,
  keyOf: (address: string) => Key = loginFailureKeys.ofBalances,
): Promise<T | 'wait'> {
  const { store } = request
  const attempts = await countAttempts(request, addressCounters(request, keyOf))
  if (!attempts) return 'wait'
  return work().finally(() =>
    Promise.all(attempts.map((attempt) => keepCounted(store, attempt))).catch(() => undefined),
  )
}

/**
 * Does work for a caller without an account. The attempt counts as the address's failed login before the
 * work, and is taken back unless that refuses. Returns `wait`, doing nothing, for an attempt over the limit.
 */
export async function attempted<T>(request: StrangersRequest, work: () => Promise<T>): Promise<T | 'wait'> {
  const { store } = request
  const attempts = await countAttempts(request, addressCounters(request))
  if (!attempts) return 'wait'
  /** The work is done: a failure here only leaves a counter too high. */
  const settle = (how: typeof takeBackAttempt) =>
    Promise.all(attempts.map((attempt) => how(store, attempt))).catch(() => undefined)
  return work().then(
    async (result) => {
      await settle(takeBackAttempt)
      return result
    },
    async (error) => {
      await settle(error instanceof ApiError || error instanceof Refusal ? keepCounted : takeBackAttempt)
      throw error
    },
  )
}
