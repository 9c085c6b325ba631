import { httpRefusal } from '#lib/api/errors.ts'
import { readRawParameters } from '#lib/api/raw-parameters.ts'
import type { Middleware } from './middleware.ts'

/** Another verb, and a request that cannot be read, are refused before any gate (wire decisions 1). */
export const rawParameters = (): Middleware => ({
  before: async ({ event, context }) => {
    if (event.httpMethod !== 'GET' && event.httpMethod !== 'POST') throw httpRefusal('wrong_verb')
    context.call.raw = await readRawParameters(event)
  },
})
