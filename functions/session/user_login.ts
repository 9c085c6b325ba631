import type { Caller } from '#lib/accounts/account.ts'
import { logIn, loginCounters } from '#lib/api/login.ts'
import { defineMethod } from '#lib/api/method.ts'
import { textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { type Element, element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
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
    loads: loginCounters,
  },
  async (request) => {
    const { params, refuse } = request
    const account = await logIn(request, { username: params.u ?? '', password: params.p ?? '' })
    if (typeof account === 'string') throw refuse(account)
    return accountElement(account)
  },
)

export const handler = lambda(method)

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
