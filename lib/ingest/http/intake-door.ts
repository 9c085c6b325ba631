import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { headerOf } from '#lib/api/header.ts'
import type { Delivery } from '#lib/ingest/switches/delivery.ts'
import { documentIn } from '#lib/intake/body.ts'
import { lengthProblem } from '#lib/intake/check.ts'
import { type FormatName, isFormat } from '#lib/intake/formats.ts'
import type { Intake } from '#lib/store/installation/intake.ts'
import { createMeter, type Meter, REPETITIONS_OF_A_REQUEST } from '#lib/store/requests/meter.ts'
import { timeLimit } from '#lib/store/requests/out-of-time.ts'
import type { TableServices } from '#lib/store/services.ts'
import { admitIntake, credentialsIn } from './admit-intake.ts'
import { answerFor, type IntakeOutcome } from './intake-answers.ts'
import { messagesOf } from './queue-messages.ts'

/** Hands messages over; throws where one of them may not have arrived. Whoever sends them again does no harm. */
export type Deliver = (messages: readonly string[]) => Promise<void>

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
      milliseconds: services.clock().getTime() - startedAt.getTime(),
      request: context.awsRequestId,
      read_units: meter.spent.read,
      write_units: meter.spent.write,
    })
    return answerFor(outcome)
  }

/** What came of a request, and what the log says of it beside. */
interface Told {
  readonly outcome: IntakeOutcome
  readonly intake?: string
  readonly format?: string
  readonly bytes?: number
  readonly messages?: number
  readonly reason?: string
}

const failed = (error: unknown): Told => ({ outcome: 'try_again', reason: String(error) })

/** A request by its looks: what it asks for is there, whoever sends it. */
interface Sent {
  readonly event: APIGatewayProxyEvent
  readonly format: FormatName
  readonly bytes: Buffer
}

async function takeIn(services: IntakeServices, event: APIGatewayProxyEvent, meter: Meter): Promise<Told> {
  const format = event.pathParameters?.['format'] ?? ''
  if (!isFormat(format)) return { outcome: 'unknown_format' }
  if (event.httpMethod !== 'POST') return { outcome: 'wrong_verb', format }
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > MOST_BYTES) return { outcome: 'too_large', format, bytes: bytes.length }
  return {
    format,
    bytes: bytes.length,
    ...(await admitAndDeliver(services, { event, format, bytes }, meter)),
  }
}

async function admitAndDeliver(
  { openStore, clock, deliver }: IntakeServices,
  { event, format, bytes }: Sent,
  meter: Meter,
): Promise<Told> {
  const credentials = credentialsIn(headerOf(event, 'authorization'))
  if (!credentials) return { outcome: 'unauthorized' }
  const address = event.requestContext.identity.sourceIp
  const intake = await admitIntake(openStore(meter), credentials, address, clock())
  if (typeof intake === 'string') return { outcome: intake }

  const messages = messagesIn(event, bytes, deliveryOf(intake, format))
  await deliver(messages)
  return { outcome: 'taken', intake: intake.name, messages: messages.length }
}

function messagesIn(event: APIGatewayProxyEvent, bytes: Buffer, delivery: Delivery): string[] {
  const declared = headerOf(event, 'content-length')
  const problem = lengthProblem(/^\d+$/.test(declared) ? Number(declared) : undefined, bytes.length)
  const document = documentIn(bytes.toString('utf8'), headerOf(event, 'content-type'))
  return messagesOf(delivery, document, problem)
}

/** A zone that is not said is the installation's, which who takes the message in knows. */
const deliveryOf = ({ name, zone = '', columns, mapping }: Intake, format: FormatName): Delivery => ({
  format,
  origin: { source: name, zone, ...(columns && { columns }), ...(mapping && { mapping }) },
})
