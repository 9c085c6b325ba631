import { defineMethod } from '#lib/api/method.ts'
import { text } from '#lib/api/parameters.ts'
import { FAILURES_OF_A_PAIR, FAILURES_OF_AN_ADDRESS, mustWait } from '#lib/domain/accounts/login.ts'
import { checkPassword } from '#lib/domain/accounts/password.ts'
import { secondsOf } from '#lib/domain/calendar.ts'
import { lambda } from '#lib/stack/lambda.ts'
import { type Caller, replacePasswordHash } from '#lib/store/accounts/account.ts'
import {
  countLoginFailure,
  findLoginFailures,
  keyOfAddress,
  keyOfPair,
  type LoginFailuresFound,
  toLoginFailures,
} from '#lib/store/accounts/login-failures.ts'
import { type Element, element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'user_login',
    aliases: ['login'],
    summary: 'Checks a username and a password, and describes the account.',
    callers: 'public',
    postOnly: true,
    params: { u: text, p: text },
    hashOrders: [],
    errors: { failed: 'Login failed', wait: 'Please wait 10 seconds before trying to login again' },
    envelope: 'login',
    access: 'write',
    names: {
      pair: { key: ({ u = '' }, address) => keyOfPair({ username: u, address }), read: toLoginFailures },
      address: { key: (_sent, address) => keyOfAddress({ address }), read: toLoginFailures },
    },
  },
  async ({ claimant, params, address, named, store, clock, refuse }) => {
    const now = secondsOf(clock())
    const attempt = { username: params.u ?? '', address }
    if (isHeldUp(named, now)) throw refuse('wait')

    const { matches, rehashed } = await checkPassword(params.p ?? '', claimant?.password_hash)
    if (isHeldUp(await findLoginFailures(store, attempt), now)) throw refuse('wait')
    if (!claimant || claimant.blocked || !matches) {
      await countLoginFailure(store, attempt, now)
      throw refuse('failed')
    }
    if (rehashed) await replacePasswordHash(store, claimant, rehashed)
    return accountElement(claimant)
  },
)

export const handler = lambda(method)

/** Asked again after the check, right or wrong alike: of guesses sent all at once the answers do not tell the right one. */
const isHeldUp = ({ pair, address }: LoginFailuresFound, now: number): boolean =>
  mustWait(pair, FAILURES_OF_A_PAIR, now) || mustWait(address, FAILURES_OF_AN_ADDRESS, now)

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
