import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { callerLimit } from '#lib/api/caller-limit.ts'
import { HEADERS_OF_EVERY_ANSWER, headerOf, RETRY_IN_A_MINUTE } from '#lib/api/headers.ts'
import { requestIds } from '#lib/api/request-context.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { isSameText } from '#lib/base/digest.ts'
import { bookStripeEvent, readStripeEvent, type StripeOutcome } from '#lib/billing/stripe/stripe-events.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { beginInvocation } from '#lib/table/invocation.ts'
import { createMeter, REPETITIONS_OF_A_REQUEST, timeLimit } from '#lib/table/requests/meter.ts'
import { lambdaTableServices, type Store } from '#lib/table/store.ts'

type Endpoint = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/** The tolerance of Stripe's own libraries. */
const TOLERANCE_SECONDS = 300

const MAX_BODY_BYTES = 1_000_000

/** Stripe repeats what is not answered by 2xx for three days. Other events, and what is booked, are done. */
const STATUSES = {
  booked: 200,
  booked_before: 200,
  skipped: 200,
  unreadable: 400,
  unsigned: 400,
  off: 404,
  wrong_verb: 405,
  too_large: 413,
  refused: 422,
  over_limit: 429,
  not_yet: 503,
  try_again: 503,
} as const

interface Report extends Omit<StripeOutcome, 'outcome'> {
  readonly outcome: keyof typeof STATUSES
  readonly event?: string
  readonly type?: string
}

/** `POST /stripe`: books the payments, refunds and disputes that Stripe reports, each once. */
export function stripeEndpoint(services = lambdaTableServices()): Endpoint {
  const isWithinLimit = callerLimit()
  return async (event, context) => {
    const time = timeLimit(context.getRemainingTimeInMillis() - ANSWER_RESERVE_MS)
    const meter = createMeter({ repetitions: REPETITIONS_OF_A_REQUEST, time })
    const { store, startedAt, writeLine } = beginInvocation(services, meter)
    const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
    const accepting = async (): Promise<Report> =>
      isWithinLimit('stripe', event.requestContext.identity.sourceIp, startedAt)
        ? accept(event, body, store, startedAt)
        : { outcome: 'over_limit' }
    const report = await accepting().catch(
      (error: unknown): Report => ({ outcome: 'try_again', reason: String(error) }),
    )
    time.stop()
    writeLine({ function: 'stripe', ...report, ...requestIds(event, context) })
    const { outcome } = report
    return {
      statusCode: STATUSES[outcome],
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        ...HEADERS_OF_EVERY_ANSWER,
        ...(outcome === 'over_limit' && RETRY_IN_A_MINUTE),
      },
      body: JSON.stringify({ outcome }),
    }
  }
}

/** The time that is left for the answer. */
const ANSWER_RESERVE_MS = 1000

async function accept(
  { httpMethod, headers }: APIGatewayProxyEvent,
  body: Buffer,
  store: Store,
  now: Date,
): Promise<Report> {
  if (httpMethod !== 'POST') return { outcome: 'wrong_verb' }
  if (body.length > MAX_BODY_BYTES) return { outcome: 'too_large' }
  const signature = signatureIn(headerOf({ headers }, 'stripe-signature'), secondsOf(now))
  if (typeof signature === 'string') return { outcome: 'unsigned', reason: signature }
  const settings = await settingsOf(store)
  if (settings.Stripe_Webhook_Secret === '') return { outcome: 'off' }
  if (!isSigned(body, signature, settings.Stripe_Webhook_Secret))
    return { outcome: 'unsigned', reason: 'wrong signature' }
  const message = readStripeEvent(body.toString('utf8'))
  if (!message) return { outcome: 'unreadable' }
  const booked = await bookStripeEvent({ store, settings, now }, message)
  return { ...booked, event: message.id, type: message.type }
}

interface Signature {
  /** As it is signed. */
  readonly time: string
  readonly digests: readonly string[]
}

/** While a secret is changed, Stripe signs with both. */
const MOST_DIGESTS = 5

/**
 * The parts of the header Stripe-Signature, such as t=1773144000,v1=5257…,v1=…, or why it is refused before
 * anything is read.
 */
function signatureIn(header: string, now: number): Signature | string {
  const parts = header.split(',').map((part) => part.split('='))
  const [, time = ''] = parts.find(([name]) => name === 't') ?? []
  const digests = parts.flatMap(([name, digest = '']) => (name === 'v1' ? [digest] : []))
  if (!/^\d{1,12}$/.test(time) || digests.length === 0) return 'no signature'
  if (Math.abs(now - Number(time)) > TOLERANCE_SECONDS) return 'old signature'
  return { time, digests: digests.slice(0, MOST_DIGESTS) }
}

function isSigned(body: Uint8Array, { time, digests }: Signature, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
  return digests.some((digest) => isSameText(digest, expected))
}
