import middy from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { ApiError } from '#lib/api/errors.ts'
import type { ApiRequest, Method } from '#lib/api/method.ts'
import { refuseUnstorable } from '#lib/api/parameters.ts'
import type { Findings, RequestContext } from '#lib/api/request-context.ts'
import type { StreamedResult } from '#lib/api/response.ts'
import type { Services } from '#lib/api/services.ts'
import { OutOfTime } from '#lib/store/requests/meter.ts'
import { runningAgain } from '#lib/store/requests/running-again.ts'
import type { Content } from '#lib/xml/element.ts'
import { admitCaller } from './admit-caller.ts'
import { envelope } from './envelope.ts'
import { gates } from './gates.ts'
import { logRequest } from './log-request.ts'
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

  return middy<APIGatewayProxyEvent, APIGatewayProxyResult | StreamedResult | Content, Error, RequestContext>(
    {
      timeoutEarlyInMillis: 400,
      timeoutEarlyResponse: () => {
        throw new OutOfTime('nothing done')
      },
      streamifyResponse: delivery.streams,
    },
  )
    .use([
      logRequest(method, services),
      envelope(method, delivery),
      rawParameters(method),
      settingsAndCaller(method),
      gates(method),
      verifyHash(method),
      admitCaller(method),
      typedParameters(method),
    ])
    .handler((_event, { findings }) =>
      run(method, requestOf(method, services, findings)),
    ) as unknown as Handler
}

/** What a run reads may change before it writes: a method that writes then runs again. */
const run = (method: Method, request: ApiRequest): Promise<Content> =>
  method.access === 'read'
    ? method.run(request)
    : runningAgain(request.store, (lostRaces) => method.run({ ...request, lostRaces }))

/** A run gets what it needs, and nothing of what the stack keeps for itself. */
const requestOf = (
  method: Method,
  { clock, random, log }: Services,
  { raw, params, named, settings, store, address, caller, claimant }: Findings,
): ApiRequest => ({
  ...{ params, named, settings, store, address, caller, claimant },
  ...{ clock, random, log },
  lostRaces: 0,
  refuse: (code) => new ApiError(method.errors[code] ?? code, 'method'),
  refuseUnstorable: () => refuseUnstorable(method.params, raw),
})
