import { Buffer } from 'node:buffer'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { HEADERS_BELOW_METHODS, headerOf } from '#lib/api/headers.ts'
import { requestIds } from '#lib/api/request-context.ts'
import type { Problem } from '#lib/cdrs/formats/cdr.ts'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import { isFormat } from '#lib/cdrs/formats/formats.ts'
import { decodeText } from '#lib/csv/encoding.ts'
import { packingOf } from '#lib/csv/packed.ts'
import { writingOf } from '#lib/settings/intake.ts'
import { beginInvocation } from '#lib/table/invocation.ts'
import { createMeter, REPETITIONS_OF_A_REQUEST, timeLimit } from '#lib/table/requests/meter.ts'
import { lambdaTableServices, type Store } from '#lib/table/store.ts'
import { element } from '#lib/xml/element.ts'
import { refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { wholeDocument } from '#lib/xml/render.ts'
import {
  admitIntake,
  INTAKE_REFUSALS,
  type IntakeRefusal,
  isCompressed,
  senderLimit,
} from './admit-intake.ts'

/**
 * Delivers an admitted document; one with a problem is suspended without parsing. Throws if a part may not
 * have arrived. The same document again does no harm.
 */
export type Deliver = (store: Store, now: Date, document: CdrDocument, problem?: Problem) => Promise<void>

type IntakeEndpoint = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/** Time reserved for the answer: table requests end before it, and the answer asks the switch to retry. */
const ANSWER_RESERVE_MS = 1000

/** Lambda accepts 6 MB of base64, which is about 4.5 MB of body. */
const MAX_BODY_BYTES = 4_000_000

/**
 * `POST /intake/<format>`: accepts the CDR documents of a switch. The answer is 200 after the delivery, 401
 * without the name and the secret of an intake, 429 beyond the limits of requests and of wrong secrets, 404,
 * 405, 413 and 415 for malformed requests, and 503 for requests to repeat. There are no others, since a
 * switch repeats every request that is not answered with 200. The query string is ignored.
 */
export function intakeEndpoint(deliver: Deliver, services = lambdaTableServices()): IntakeEndpoint {
  const isWithinLimit = senderLimit()
  return async (event, context) => {
    const time = timeLimit(context.getRemainingTimeInMillis() - ANSWER_RESERVE_MS)
    const meter = createMeter({ repetitions: REPETITIONS_OF_A_REQUEST, time })
    const { store, startedAt, writeLine } = beginInvocation(services, meter)
    const accepting: Promise<IntakeReport> = isWithinLimit(event, startedAt)
      ? acceptDocument(event, store, startedAt, deliver)
      : Promise.resolve({ outcome: 'over_limit' })
    const report = await accepting.catch(
      (error: unknown): IntakeReport => ({ outcome: 'try_again', reason: String(error) }),
    )
    time.stop()
    writeLine({ function: 'intake', ...report, ...requestIds(event, context) })
    return ANSWERS[report.outcome]
  }
}

/** A switch looks only at the status, so each answer is built once. */
const answer = (
  statusCode: number,
  document: ReturnType<typeof element>,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyResult => ({
  statusCode,
  headers: { ...HEADERS_BELOW_METHODS, ...headers },
  body: wholeDocument(document),
})

const refusal = ({ status, words = '', headers }: IntakeRefusal) =>
  answer(status, refusalBelowMethods(words), headers)

const ANSWERS = {
  taken: answer(200, element('page', element('status', 'ok'))),
  unauthorized: refusal(INTAKE_REFUSALS.unauthorized),
  unknown_format: refusal({ status: 404, words: 'Unknown format' }),
  wrong_verb: refusal(INTAKE_REFUSALS.wrong_verb),
  too_large: refusal({ status: 413, words: 'Request is too large' }),
  compressed: refusal(INTAKE_REFUSALS.compressed),
  packed: refusal(INTAKE_REFUSALS.packed),
  too_many: refusal(INTAKE_REFUSALS.too_many),
  over_limit: refusal(INTAKE_REFUSALS.over_limit),
  try_again: refusal({ status: 503, words: 'Try again', headers: { 'Retry-After': '5' } }),
}

/** The outcome of a request, and other details for the log. */
interface IntakeReport {
  readonly outcome: keyof typeof ANSWERS
  readonly intake?: string
  readonly format?: string
  readonly bytes?: number
  readonly reason?: string
}

async function acceptDocument(
  event: APIGatewayProxyEvent,
  store: Store,
  now: Date,
  deliver: Deliver,
): Promise<IntakeReport> {
  const format = event.pathParameters?.['format'] ?? ''
  if (!isFormat(format)) return { outcome: 'unknown_format' }
  if (event.httpMethod !== 'POST') return { outcome: 'wrong_verb', format }
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  const bytes = body.length
  if (bytes > MAX_BODY_BYTES) return { outcome: 'too_large', format, bytes }
  if (isCompressed(event)) return { outcome: 'compressed', format, bytes }
  const packing = packingOf(body)
  if (packing !== undefined) return { outcome: 'packed', format, bytes, reason: packing }
  const intake = await admitIntake(event, store, now)
  if (typeof intake === 'string') return { outcome: intake, format, bytes }

  const text = documentIn(decodeText(body), headerOf(event, 'content-type'))
  const document = { ...writingOf(intake), format, source: intake.name, text }
  await deliver(store, now, document, lengthProblem(event, bytes))
  return { outcome: 'taken', intake: intake.name, format, bytes }
}

/** The problem of a body whose length differs from Content-Length: it was cut off on its way. */
function lengthProblem(event: APIGatewayProxyEvent, received: number): Problem | undefined {
  const declared = headerOf(event, 'content-length')
  if (!/^\d+$/.test(declared) || Number(declared) === received) return undefined
  return { reason: 'truncated', detail: `the body has ${received} bytes, Content-Length says ${declared}` }
}

const FIELD = 'cdr='

/**
 * The document in the body of a request. FreeSWITCH sends it plain (application/json, text/xml). Depending on
 * its setting `encode`, it sends `cdr=` and then the document as a form field, in base64, or plain
 * (process_cdr in mod_json_cdr.c, my_on_reporting in mod_xml_cdr.c).
 */
export function documentIn(body: string, contentType: string): string {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!body.startsWith(FIELD)) return body
  const field = body.slice(FIELD.length)
  if (type === 'application/x-www-form-base64-encoded') return decodeText(Buffer.from(field, 'base64'))
  if (type === 'application/x-www-form-urlencoded') return decodeText(bytesOf(field))
  return type === 'application/x-www-form-plaintext' ? field : body
}

/** The bytes of the first field of a form. URLSearchParams would make one character of all broken ones. */
function bytesOf(form: string): Buffer {
  const [field = ''] = Buffer.from(form.replaceAll('+', ' ')).toString('latin1').split('&', 1)
  const plain = field.replace(/%([0-9a-f]{2})/gi, (_escape, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
  return Buffer.from(plain, 'latin1')
}
