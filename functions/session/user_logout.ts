import { defineMethod } from '#lib/api/method.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'user_logout',
    aliases: ['logout'],
    summary: 'Confirms a logout. It changes nothing, because there are no sessions.',
    callers: { allowed: ACCOUNT_TYPES, anonymous: 'failed' },
    params: {},
    hashOrders: [{ signs: [] }],
    errors: {},
    envelope: 'logout',
    access: 'read',
  },
  async () => element('action', element('name', 'logout'), element('status', 'ok')),
)

export const handler = lambda(method)
