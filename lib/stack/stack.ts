import middy from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import type { CallContext } from '#lib/api/call-context.ts'
import { ApiError } from '#lib/api/errors.ts'
import type { Method } from '#lib/api/method.ts'
import { refuseUnstorable } from '#lib/api/parameters.ts'
import type { StreamedResult } from '#lib/api/response.ts'
import type { Services } from '#lib/api/services.ts'
import type { Content } from '#lib/xml/element.ts'
import { admitCaller } from './admit-caller.ts'
import { envelope } from './envelope.ts'
import { gates } from './gates.ts'
import { logCall } from './log-call.ts'
import { rawParameters } from './raw-parameters.ts'
import { settingsAndCaller } from './settings-and-caller.ts'
import { typedParameters } from './typed-parameters.ts'
import { verifyHash } from './verify-hash.ts'

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/**
 * The one place the stack is composed. Reads top to bottom on the way in, bottom to top on the way out. Where answers
 * stream, the handler of a method that streams is one for the runtime's stream (middy wraps it).
 */
export function serve(method: Method, services: Services): Handler {
  const { delivery } = services

  return middy<APIGatewayProxyEvent, APIGatewayProxyResult | StreamedResult | Content, Error, CallContext>({
    timeoutEarlyInMillis: 400,
    timeoutEarlyResponse: () => {
      throw new Error('The call ran out of time')
    },
    streamifyResponse: delivery.streams,
  })
    .use([
      logCall(method, services),
      envelope(method, delivery),
      rawParameters(),
      settingsAndCaller(method),
      gates(method),
      verifyHash(method),
      admitCaller(method),
      typedParameters(method),
    ])
    .handler((_event, context) => method.run(toCall(method, services, context))) as unknown as Handler
}

const toCall = (method: Method, services: Services, { call }: CallContext) => ({
  ...services,
  ...call,
  refuse: (code: string) => new ApiError(method.errors[code] ?? code, 'method'),
  refuseUnstorable: () => refuseUnstorable(method.params, call.raw),
})
