import { gateRefusal, httpRefusal } from '#lib/api/errors.ts'
import type { Contract } from '#lib/api/method.ts'
import type { Middleware } from './middleware.ts'

const VERBS = ['GET', 'POST']

/** The API switch comes first, then the GET switch (wire.md 2); a verb that has no switch is refused (wire.md 1.1). */
export const gates = ({ postOnly }: Pick<Contract, 'postOnly'>): Middleware => ({
  before: ({ event, context }) => {
    const { Allow_API, Allow_GET_API } = context.findings.settings
    if (!Allow_API) throw gateRefusal('api_disabled')
    const getAllowed = Allow_GET_API && !postOnly
    if (event.httpMethod === 'GET' && !getAllowed) throw gateRefusal('get_disabled')
    if (!VERBS.includes(event.httpMethod)) throw httpRefusal('wrong_verb')
  },
})
