import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { limitsFor, loginPlace } from '#lib/domain/accounts/login.ts'
import { checkPassword } from '#lib/domain/accounts/password.ts'
import { isListed } from '#lib/domain/accounts/trusted-addresses.ts'
import { secondsOf } from '#lib/domain/calendar.ts'
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
import { type Element, element } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'user_login',
  aliases: ['login'],
  summary: 'Checks a username and a password, and describes the account.',
  callers: 'public',
  postOnly: true,
  params: { u: textParam, p: textParam },
  hashOrders: [],
  errors: { failed: 'Login failed', wait: 'Please wait 10 seconds before trying to login again' },
  envelope: 'login',
  access: 'write',
  loads: {
    pair: { key: ({ u = '' }, address) => loginFailureKeys.ofPair(u, address), read: toLoginFailures },
    address: { key: (_sent, address) => loginFailureKeys.ofAddress(address), read: toLoginFailures },
  },
})

type LoginRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const { claimant, params, store, refuse } = request
  const attempts = await countAttempts(request)
  if (!attempts) throw refuse('wait')

  const { matches, rehashed } = await checkPassword(params.p ?? '', claimant?.password_hash)
  const isRight = claimant && !claimant.blocked && matches
  await Promise.all(attempts.map((attempt) => (isRight ? takeBack : keepCounted)(store, attempt)))
  if (!isRight) throw refuse('failed')
  if (rehashed) await replacePasswordHash(store, claimant, rehashed)
  return accountElement(claimant)
})

export const handler = lambda(method)

/**
 * Counts the attempt in every counter. Returns `undefined`, and counts nothing, if one of them is at its limit. The address
 * comes first: once it is at its limit, further names leave no counters.
 */
async function countAttempts(request: LoginRequest): Promise<CountedAttempt[] | undefined> {
  const { store, clock } = request
  const counters = countersOf(request)
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

function countersOf({ params, address, loaded, settings }: LoginRequest): LoginCounter[] {
  const limits = limitsFor(isListed(settings.Trusted_Login_Addresses, address))
  const pair = {
    key: loginFailureKeys.ofPair(params.u ?? '', address),
    limit: limits.pair,
    found: loaded.pair,
  }
  if (limits.address === undefined) return [pair]
  return [{ key: loginFailureKeys.ofAddress(address), limit: limits.address, found: loaded.address }, pair]
}

const accountElement = ({ id, usertype, uniquehash }: Caller): Element =>
  element(
    'action',
    element('name', 'login'),
    element('status', 'ok'),
    element('user_id', id),
    element('usertype', usertype),
    element('uniquehash', uniquehash),
    element('status_message', 'Successfully logged in'),
  )
