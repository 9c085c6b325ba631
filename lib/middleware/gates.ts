import { gateRefusal } from '#lib/api/errors.ts'
import type { Contract } from '#lib/api/method.ts'
import type { Middleware } from './middleware.ts'

/** The API switch, then the GET switch (wire decisions 2). */
export const gates = ({ postOnly }: Pick<Contract, 'postOnly'>): Middleware => ({
  before: ({ event, context }) => {
    const { Allow_API, Allow_GET_API } = context.call.settings
    if (!Allow_API) throw gateRefusal('api_disabled')
    const getAllowed = Allow_GET_API && !postOnly
    if (event.httpMethod === 'GET' && !getAllowed) throw gateRefusal('get_disabled')
  },
})
