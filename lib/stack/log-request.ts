import { finished, Readable } from 'node:stream'
import { ApiError } from '#lib/api/errors.ts'
import type { Contract } from '#lib/api/method.ts'
import type { RequestContext } from '#lib/api/request-context.ts'
import type { StreamedResult } from '#lib/api/response.ts'
import type { Services } from '#lib/api/services.ts'
import { createMeter, REPETITIONS_OF_A_REQUEST, timeLimit } from '#lib/store/requests/meter.ts'
import { hashFinding } from './hash-finding.ts'
import type { Middleware } from './middleware.ts'

/** In milliseconds: by then nothing is sent any more, and what is known can be told. */
const LEFT_FOR_THE_ANSWER = 1000

type LogFields = Readonly<Record<string, unknown>>

/** One line a request: what came of it and what it cost; never a parameter, a secret or a body. */
export function logRequest(
  contract: Pick<Contract, 'name' | 'access' | 'params' | 'hashOrders' | 'callers'>,
  { log, clock, openStore }: Services,
): Middleware {
  const { name, access } = contract
  /** Answers nothing: middy would take a value for the response. */
  const write = ({ findings, awsRequestId }: RequestContext, outcome: LogFields): void => {
    findings.meter.time?.stop()
    log({
      method: name,
      caller: findings.caller?.id,
      ...outcome,
      ...(findings.settings?.API_Disable_hash_checking && { unchecked: true }),
      milliseconds: clock().getTime() - findings.startedAt.getTime(),
      request: awsRequestId,
      round_trips: findings.meter.spent.roundTrips,
      read_units: findings.meter.spent.read,
      write_units: findings.meter.spent.write,
    })
  }

  return {
    before: ({ context }) => {
      const time = timeLimit(context.getRemainingTimeInMillis() - LEFT_FOR_THE_ANSWER)
      const meter = createMeter({
        repetitions: REPETITIONS_OF_A_REQUEST,
        time,
        runsAgain: access === 'write',
      })
      context.findings = { meter, store: openStore(meter), startedAt: clock() } as RequestContext['findings']
    },
    after: ({ context, response }) => {
      if (!isStreamed(response)) return write(context, { outcome: 'answered' })
      finished(response.body, (error) => write(context, error ? outcomeOf(error) : { outcome: 'answered' }))
    },
    onError: ({ context, error }) => {
      const hash_made_of = hashFinding(contract, context.findings, error?.message)
      write(context, { ...outcomeOf(error), hash_made_of })
    },
  }
}

/** A stream is answered when it has left; one that broke off ends as no well-formed document. */
const isStreamed = (response: unknown): response is StreamedResult =>
  typeof response === 'object' && response !== null && 'body' in response && response.body instanceof Readable

/** A refusal is an answer; anything else is a bug, and this line is the only place that shows it whole. */
const outcomeOf = (error: unknown): LogFields =>
  error instanceof ApiError
    ? { outcome: 'refused', refusal: error.message }
    : { outcome: 'failed', error: describeError(error) }

const describeError = (error: unknown): LogFields => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  return { name, message, stack, ...(cause !== undefined && { cause: describeError(cause) }) }
}
