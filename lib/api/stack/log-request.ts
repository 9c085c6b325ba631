import { finished } from 'node:stream'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { secretsOf } from '#lib/accounts/named-key.ts'
import type { SignedCall } from '#lib/api/doctor/explain-hash.ts'
import { describeRefusedHash } from '#lib/api/doctor/refused-hash.ts'
import { ApiError, gateRefusals } from '#lib/api/errors.ts'
import type { Contract, Services } from '#lib/api/method.ts'
import { type Findings, type RequestContext, requestIds, requireFindings } from '#lib/api/request-context.ts'
import { isStreamed } from '#lib/api/response.ts'
import { beginInvocation } from '#lib/table/invocation.ts'
import type { LogFields } from '#lib/table/log-line.ts'
import { createMeter, REPETITIONS_OF_A_REQUEST, timeLimit } from '#lib/table/requests/meter.ts'
import type { Middleware } from './steps.ts'

/** The time that is reserved for the answer: requests to the table stop before it. */
const ANSWER_RESERVE_MS = 1000

/** Writes one line for each request: its outcome and its cost, but never a parameter, a secret or a body. */
export function logRequest(
  contract: Pick<Contract, 'name' | 'access' | 'params' | 'hashOrders' | 'callers'>,
  services: Services,
): Middleware {
  const { name, access } = contract
  /** Returns nothing, since middy would take a value as the response. */
  const write = (
    { event, context }: { event: APIGatewayProxyEvent; context: RequestContext },
    outcome: LogFields,
  ): void => {
    const { findings } = context
    requireFindings(findings, 'invocation')
    const { meter, writeLine } = findings.invocation
    meter.time?.stop()
    writeLine({
      method: name,
      caller: findings.caller?.id,
      key: findings.signingKey?.name,
      key_refused: findings.signingKey?.refused,
      ...outcome,
      ...(findings.settings?.API_Disable_hash_checking && { unchecked: true }),
      ...requestIds(event, context),
      round_trips: meter.spent.roundTrips,
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
      context.findings = { invocation, store: invocation.store }
    },
    after: (request) => {
      const { response } = request
      // A stream counts as answered when it has been sent. A broken one is not a well-formed document.
      if (!isStreamed(response)) return write(request, { outcome: 'answered' })
      finished(response.body, (error) => write(request, error ? outcomeOf(error) : { outcome: 'answered' }))
    },
    onError: (request) => {
      const { context, error } = request
      const hash_made_of = refusedHash(contract, context.findings, error?.message)
      write(request, { ...outcomeOf(error), hash_made_of })
    },
  }
}

/** Node's errors of a stream whose reader has left. */
const READER_LEFT = new Set<unknown>(['ABORT_ERR', 'ERR_STREAM_PREMATURE_CLOSE'])

/** Any error but a refusal and a reader who has left is a bug. Only this line shows it in full. */
function outcomeOf(error: unknown): LogFields {
  if (error instanceof ApiError) return { outcome: 'refused', refusal: error.message }
  if (error instanceof Error && 'code' in error && READER_LEFT.has(error.code))
    return { outcome: 'broken off' }
  return { outcome: 'failed', error: describeError(error) }
}

const describeError = (error: unknown): LogFields => {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause } = error
  return { name, message, stack, ...(cause !== undefined && { cause: describeError(cause) }) }
}

/**
 * Describes what the hash of a refused call was made of; `undefined` unless the setting Explain_Hashes is on. A bundle
 * loads the doctor from a separate file when it is first needed (infra/bundle/doctor-beside.ts).
 */
function refusedHash(
  contract: SignedCall['contract'],
  { settings, raw = {}, invocation, v2, claimant }: Findings,
  refusal: unknown,
): string | undefined {
  if (!settings?.Explain_Hashes || !invocation || refusal !== gateRefusals.incorrect_hash) return undefined
  try {
    const { startedAt } = invocation
    const namedKeys = (claimant?.keys ?? []).flatMap((key) => secretsOf(key, startedAt))
    const { uniquehash } = claimant ?? {}
    const call = { contract, sent: raw, key: settings.API_Secret_Key, namedKeys, uniquehash, v2 }
    return describeRefusedHash(call, startedAt)
  } catch {
    return 'unavailable'
  }
}
