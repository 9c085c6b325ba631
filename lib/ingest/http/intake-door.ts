import { Buffer } from 'node:buffer'
import { timingSafeEqual } from 'node:crypto'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { headerOf } from '#lib/api/header.ts'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import { secondsOf } from '#lib/domain/calendar.ts'
import { type CdrDocument, type FormatName, isFormat, type Problem } from '#lib/mediation/formats/cdr.ts'
import { countWrongSecret, digestOfSecret, findIntake, type Intake } from '#lib/store/installation/intake.ts'
import { createMeter, type Meter, REPETITIONS_OF_A_REQUEST, timeLimit } from '#lib/store/requests/meter.ts'
import type { Store, TableServices } from '#lib/store/store.ts'
import { element } from '#lib/xml/element.ts'
import { refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { wholeDocument } from '#lib/xml/render.ts'

/** A document that was admitted, and why it is to be suspended unread. */
interface Delivery {
  readonly store: Store
  readonly now: Date
  readonly document: CdrDocument
  readonly problem: Problem | undefined
}

/** Hands a document over; throws where a part of it may not have arrived. Sending it again does no harm. */
export type Deliver = (delivery: Delivery) => Promise<void>

interface IntakeServices extends TableServices {
  readonly deliver: Deliver
}

type IntakeDoor = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/** In milliseconds: by then nothing is sent any more, and the switch is told to try again. */
const LEFT_FOR_THE_ANSWER = 1000

/** Of a body. Lambda takes no more of it in base64 than 6 MB. */
const MOST_BYTES = 4_000_000

/**
 * `POST /intake/<format>`: the function puts the documents of a switch into the queue. It answers 200 when they are there,
 * 401 without the name and the secret of an intake, 429 beyond the limits of wrong secrets, 404, 405 and 413 for malformed
 * requests, 503 for requests that may be sent again. It answers nothing else, since a switch resends on everything that is
 * not 200. The query string is ignored.
 */
export const intakeDoor =
  (services: IntakeServices): IntakeDoor =>
  async (event, context) => {
    const startedAt = services.clock()
    const time = timeLimit(context.getRemainingTimeInMillis() - LEFT_FOR_THE_ANSWER)
    const meter = createMeter({ repetitions: REPETITIONS_OF_A_REQUEST, time })
    const { outcome, ...said } = await takeIn(services, event, meter).catch(failed)
    time.stop()
    services.log({
      function: 'intake',
      outcome,
      ...said,
      ...meter.noted,
      milliseconds: services.clock().getTime() - startedAt.getTime(),
      request: context.awsRequestId,
      read_units: meter.spent.read,
      write_units: meter.spent.write,
    })
    return ANSWERS[outcome]
  }

/** A switch looks at the status and at nothing else: each answer is made once. */
const answer = (
  statusCode: number,
  document: ReturnType<typeof element>,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyResult => ({
  statusCode,
  headers: { ...HEADERS_BELOW_METHODS, ...headers },
  body: wholeDocument(document),
})

const refusal = (status: number, words: string, headers = {}) =>
  answer(status, refusalBelowMethods(words), headers)

const ANSWERS = {
  taken: answer(200, element('page', element('status', 'ok'))),
  unauthorized: refusal(401, 'Unauthorized', { 'WWW-Authenticate': 'Basic realm="intake", charset="UTF-8"' }),
  unknown_format: refusal(404, 'Unknown format'),
  wrong_verb: refusal(405, 'Method not allowed', { Allow: 'POST' }),
  too_large: refusal(413, 'Request is too large'),
  /** The limits of wrong secrets hold for a minute. */
  too_many: refusal(429, 'Too many requests', { 'Retry-After': '60' }),
  try_again: refusal(503, 'Try again', { 'Retry-After': '5' }),
}

type IntakeOutcome = keyof typeof ANSWERS

/** The outcome of a request, and what else the log says of it. */
interface Told {
  readonly outcome: IntakeOutcome
  readonly intake?: string
  readonly format?: string
  readonly bytes?: number
  readonly reason?: string
}

const failed = (error: unknown): Told => ({ outcome: 'try_again', reason: String(error) })

async function takeIn(services: IntakeServices, event: APIGatewayProxyEvent, meter: Meter): Promise<Told> {
  const format = event.pathParameters?.['format'] ?? ''
  if (!isFormat(format)) return { outcome: 'unknown_format' }
  if (event.httpMethod !== 'POST') return { outcome: 'wrong_verb', format }
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > MOST_BYTES) return { outcome: 'too_large', format, bytes: bytes.length }
  return {
    format,
    bytes: bytes.length,
    ...(await admitAndDeliver(services, event, { format, bytes }, meter)),
  }
}

/** A well-formed request, not yet authenticated. */
interface Sent {
  readonly format: FormatName
  readonly bytes: Buffer
}

async function admitAndDeliver(
  { openStore, clock, deliver }: IntakeServices,
  event: APIGatewayProxyEvent,
  sent: Sent,
  meter: Meter,
): Promise<Told> {
  const credentials = credentialsIn(headerOf(event, 'authorization'))
  if (!credentials) return { outcome: 'unauthorized' }
  const [store, now] = [openStore(meter), clock()]
  const address = event.requestContext.identity.sourceIp
  const intake = await admitIntake(store, credentials, address, now)
  if (typeof intake === 'string') return { outcome: intake }

  const document = documentOf(intake, event, sent)
  await deliver({ store, now, document, problem: lengthProblem(event, sent.bytes.length) })
  return { outcome: 'taken', intake: intake.name }
}

const documentOf = (
  { name: source, zone = '', columns, mapping }: Intake,
  event: APIGatewayProxyEvent,
  { format, bytes }: Sent,
): CdrDocument => ({
  format,
  source,
  zone,
  columns,
  mapping,
  text: documentIn(bytes.toString('utf8'), headerOf(event, 'content-type')),
})

/** A body of another length than its sender declared (Content-Length) was cut off on its way. */
function lengthProblem(event: APIGatewayProxyEvent, received: number): Problem | undefined {
  const declared = headerOf(event, 'content-length')
  if (!/^\d+$/.test(declared) || Number(declared) === received) return undefined
  return { reason: 'truncated', detail: `${received} bytes came, ${declared} were announced` }
}

const FIELD = 'cdr='

/**
 * The document in the body of a request. FreeSWITCH sends it as it is (application/json, text/xml) or, by its setting
 * `encode`, behind `cdr=` as a form field, in base64, or as it is (process_cdr in mod_json_cdr.c, my_on_reporting in
 * mod_xml_cdr.c).
 */
export function documentIn(body: string, contentType: string): string {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!body.startsWith(FIELD)) return body
  const field = body.slice(FIELD.length)
  if (type === 'application/x-www-form-base64-encoded') return Buffer.from(field, 'base64').toString('utf8')
  if (type === 'application/x-www-form-urlencoded') return new URLSearchParams(body).get('cdr') ?? field
  return type === 'application/x-www-form-plaintext' ? field : body
}

/** The name and the secret of HTTP basic authentication (RFC 7617). */
interface Credentials {
  readonly name: string
  readonly secret: string
}

/** The credentials in an Authorization header; `undefined` if it has none. */
function credentialsIn(header: string): Credentials | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header) ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { name: text.slice(0, colon), secret: text.slice(colon + 1) }
}

/** The digest of no known secret: an unknown name is compared with it. */
const DIGEST_OF_NO_SECRET = '0'.repeat(64)

/**
 * Returns the intake whose secret was given, otherwise the reason why it is refused. A right secret costs one read and is
 * always admitted: a misconfigured neighbour behind the same address blocks nobody. A wrong secret is counted before it is
 * answered. An unknown name costs the same as a wrong secret: one read, one comparison, one update.
 */
async function admitIntake(
  store: Store,
  { name, secret }: Credentials,
  address: string,
  now: Date,
): Promise<Intake | 'unauthorized' | 'too_many'> {
  const intake = await findIntake(store, name)
  const isRight = isSameDigest(digestOfSecret(secret), intake?.secret_sha256 ?? DIGEST_OF_NO_SECRET)
  if (intake && isRight) return intake
  const isCounted = await countWrongSecret(store, name, address, secondsOf(now))
  return isCounted ? 'unauthorized' : 'too_many'
}

const isSameDigest = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'))
