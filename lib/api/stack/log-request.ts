import { finished } from 'node:stream'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { ApiError } from '#lib/api/errors.ts'
import type { Contract, Services } from '#lib/api/method.ts'
import { type RequestContext, requestIds, requireState } from '#lib/api/request-context.ts'
import { isStreamed } from '#lib/api/response.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { printableMessage } from '#lib/base/text.ts'
import { beginInvocation } from '#lib/table/invocation.ts'
import type { LogFields } from '#lib/table/log-line.ts'
import { createMeter, REPETITIONS_OF_A_REQUEST, timeLimit } from '#lib/table/requests/meter.ts'
import type { Middleware } from './steps.ts'

/** The time that is reserved for the answer: requests to the table stop before it. */
const ANSWER_RESERVE_MS = 1000

interface Logged extends Pick<Contract, 'name' | 'access'> {
  /** Whether its answers show a Refusal. In a method of the API one that nothing caught is a bug. */
  readonly showsRefusals?: boolean
}

/** Writes one line for each request: its outcome and its cost, but never a parameter, a secret or a body. */
export function logRequest({ name, access, showsRefusals }: Logged, services: Services): Middleware {
  /** Returns nothing, since middy would take a value as the response. */
  const write = (
    { event, context }: { event: APIGatewayProxyEvent; context: RequestContext },
    outcome: LogFields,
  ): void => {
    const { requestState } = context
    requireState(requestState, 'invocation')
    const { meter, writeLine } = requestState.invocation
    meter.time?.stop()
    writeLine({
      method: name,
      caller: requestState.caller?.id,
      key: requestState.signingKey?.name,
      key_refused: requestState.signingKey?.refused,
      ...outcome,
      ...(requestState.settings?.API_Disable_hash_checking && { unchecked: true }),
      ...requestIds(event, context),
      round_trips: meter.spent.roundTrips,
      timing: requestState.timing,
    })
  }

  return {
    before: ({ context }) => {
      const time = timeLimit(context.getRemainingTimeInMillis() - ANSWER_RESERVE_MS)
      const meter = createMeter({
        repetitions: REPETITIONS_OF_A_REQUEST,
        time,
        runsAgain: access === 'write',
      })
      const invocation = beginInvocation(services, meter)
      context.requestState = { invocation, store: invocation.store }
    },
    after: (request) => {
      const { response } = request
      // A stream counts as answered when it has been sent. A broken one is not a well-formed document.
      if (!isStreamed(response)) return write(request, { outcome: 'answered' })
      finished(response.body, (error) => write(request, error ? outcomeOf(error) : { outcome: 'answered' }))
    },
    onError: (request) => {
      const { error } = request
      const isShown = showsRefusals && error instanceof Refusal
      write(request, isShown ? { outcome: 'refused', refusal: error.code } : outcomeOf(error))
    },
  }
}

/** Node's errors of a stream whose reader has left. */
const READER_LEFT = new Set<unknown>(['ABORT_ERR', 'ERR_STREAM_PREMATURE_CLOSE'])

/** Any error but a refusal and a reader who has left is a bug. Only this line shows it in full. */
function outcomeOf(error: unknown): LogFields {
  if (error instanceof ApiError) return { outcome: 'refused', refusal: printableMessage(error.message) }
  if (error instanceof Error && 'code' in error && READER_LEFT.has(error.code))
    return { outcome: 'broken off' }
  return { outcome: 'failed', error: describeError(error) }
}

const describeError = (error: unknown): LogFields => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  return { name, message, stack, ...(cause !== undefined && { cause: describeError(cause) }) }
}
