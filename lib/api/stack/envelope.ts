import { ApiError, httpRefusal } from '#lib/api/errors.ts'
import type { Contract } from '#lib/api/method.ts'
import { type AnswerTransport, xmlResponse } from '#lib/api/response.ts'
import { OutOfTime } from '#lib/store/requests/meter.ts'
import { UnreadableTable } from '#lib/store/table-format.ts'
import type { Content } from '#lib/xml/element.ts'
import { envelopes } from '#lib/xml/envelopes.ts'
import type { Middleware } from './middleware.ts'

/** Answers every request with XML, whatever the inner steps do. A bug becomes a general message (wire.md 4.1). */
export function envelope(
  { envelope: name }: Pick<Contract, 'envelope'>,
  transport: AnswerTransport,
): Middleware {
  const { success, failure, refusal } = envelopes[name]

  return {
    after: async (request) => {
      const document = success(request.response as Content)
      request.response = await xmlResponse(document, 200, transport, request)
    },
    onError: async (request) => {
      const { message, layer, status, reason } = refusalOf(request.error)
      const document = layer === 'method' ? failure(message, reason) : refusal(message, reason)
      request.response = await xmlResponse(document, status, transport, request)
    },
  }
}

/** A timeout tells the caller whether the request may have taken effect, and the log has what a table lacks (wire.md 1.4). */
function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof UnreadableTable) return httpRefusal('unreadable_table')
  if (!(error instanceof OutOfTime)) return httpRefusal('internal')
  return httpRefusal(error.outcome === 'unknown' ? 'unknown_outcome' : 'out_of_time')
}
