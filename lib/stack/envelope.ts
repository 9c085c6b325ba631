import { ApiError, httpRefusal } from '#lib/api/errors.ts'
import type { Contract } from '#lib/api/method.ts'
import { type Delivery, xmlResponse } from '#lib/api/response.ts'
import { OutOfTime } from '#lib/store/requests/meter.ts'
import type { Content } from '#lib/xml/element.ts'
import { envelopes, refusalBelowMethods } from '#lib/xml/envelopes.ts'
import type { Middleware } from './middleware.ts'

/** Whatever happens beneath it, the caller is answered with XML; a bug is told in general words (wire.md 4.1). */
export function envelope({ envelope: name }: Pick<Contract, 'envelope'>, delivery: Delivery): Middleware {
  const { success, failure } = envelopes[name]

  return {
    after: async (request) => {
      const document = success(request.response as Content)
      request.response = await xmlResponse(document, { statusCode: 200, delivery }, request)
    },
    onError: async (request) => {
      const { message, layer, status } = readable(request.error)
      const document = layer === 'method' ? failure(message) : refusalBelowMethods(message)
      request.response = await xmlResponse(document, { statusCode: status, delivery }, request)
    },
  }
}

/** Out of time, the caller is told whether anything may have been done (wire.md 1.4). */
function readable(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (!(error instanceof OutOfTime)) return httpRefusal('internal')
  return httpRefusal(error.outcome === 'unknown' ? 'unknown_outcome' : 'out_of_time')
}
