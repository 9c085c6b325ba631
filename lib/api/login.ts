import { limitsFor, loginPlace } from '#lib/domain/accounts/login.ts'
import { checkPassword } from '#lib/domain/accounts/password.ts'
import { isListed } from '#lib/domain/accounts/trusted-addresses.ts'
import { secondsOf } from '#lib/domain/calendar.ts'
import type { Settings } from '#lib/domain/settings.ts'
import { type Caller, replacePasswordHash } from '#lib/store/accounts/account.ts'
import {
  type CountedAttempt,
  countAttempt,
  keepCounted,
  type LoginCounter,
  loginFailureKeys,
  takeBack,
  toLoginFailures,
} from '#lib/store/accounts/login-failures.ts'
import type { Store } from '#lib/store/store.ts'
import type { Load } from './loads.ts'

type Failures = LoginCounter['found']

/** The counters of failed logins of the username in `u`, and of the address of the client. */
export const loginCounters: { readonly pair: Load<Failures>; readonly address: Load<Failures> } = {
  pair: { key: ({ u = '' }, address) => loginFailureKeys.ofPair(u, address), read: toLoginFailures },
  address: { key: (_sent, address) => loginFailureKeys.ofAddress(address), read: toLoginFailures },
}

/** A request to log in, with the counters of `loginCounters` and the account of the username, if there is one. */
interface LoginRequest {
  readonly store: Store
  readonly clock: () => Date
  readonly settings: Settings
  readonly address: string
  readonly loaded: { readonly pair: Failures; readonly address: Failures }
  readonly claimant: Caller | undefined
}

interface Credentials {
  readonly username: string
  readonly password: string
}

/**
 * Checks a username and a password, and counts the failures (wire.md user_login). Returns the account with its current hash,
 * `failed` for wrong credentials or a blocked account, and `wait` for an attempt over the limit.
 */
export async function logIn(
  request: LoginRequest,
  { username, password }: Credentials,
): Promise<Caller | 'failed' | 'wait'> {
  const { claimant, store } = request
  const attempts = await countAttempts(request, username)
  if (!attempts) return 'wait'

  const { matches, rehashed } = await checkPassword(password, claimant?.password_hash)
  const isRight = claimant && !claimant.blocked && matches
  await Promise.all(attempts.map((attempt) => (isRight ? takeBack : keepCounted)(store, attempt)))
  if (!isRight) return 'failed'
  if (rehashed) await replacePasswordHash(store, claimant, rehashed)
  return rehashed === undefined ? claimant : { ...claimant, password_hash: rehashed }
}

/**
 * Counts the attempt in every counter. Returns `undefined`, and counts nothing, if one of them is at its limit. The address
 * comes first: once it is at its limit, further names leave no counters.
 */
async function countAttempts(request: LoginRequest, username: string): Promise<CountedAttempt[] | undefined> {
  const { store, clock } = request
  const counters = countersOf(request, username)
  if (counters.some(({ found, limit }) => loginPlace(found, limit, secondsOf(clock())) === 'refused'))
    return undefined
  const counted: CountedAttempt[] = []
  for (const counter of counters) {
    const attempt = await countAttempt(store, counter, clock)
    if (!attempt) {
      await Promise.all(counted.map((one) => takeBack(store, one)))
      return undefined
    }
    counted.push(attempt)
  }
  return counted
}

function countersOf({ address, loaded, settings }: LoginRequest, username: string): LoginCounter[] {
  const limits = limitsFor(isListed(settings.Trusted_Login_Addresses, address))
  const pair = { key: loginFailureKeys.ofPair(username, address), limit: limits.pair, found: loaded.pair }
  if (limits.address === undefined) return [pair]
  return [{ key: loginFailureKeys.ofAddress(address), limit: limits.address, found: loaded.address }, pair]
}
