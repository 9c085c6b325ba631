import { Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import type { Element } from '#lib/xml/element.ts'
import { documentOf, type Frame, renderPieces, textOf } from '#lib/xml/render.ts'
import { answerTooLarge } from './errors.ts'
import { HEADERS_OF_EVERY_ANSWER } from './headers.ts'
import type { Findings } from './request-context.ts'

/** An answer that leaves while it is being made: nothing has been rendered before somebody reads the body. */
export interface StreamedResult {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

/** How answers leave: piece by piece or whole; and how many bytes the way out carries. */
export interface Delivery {
  readonly streams: boolean
  readonly mostBytes: number
}

/** What an answer depends on besides its content. */
export interface Answered {
  readonly event: Pick<APIGatewayProxyEvent, 'headers'>
  readonly context: { readonly findings?: Partial<Findings> }
}

/** Rows of a list compress to less than this part. */
const COMPRESSED_PART = 1 / 4

/**
 * The document with its headers, compressed where the client accepts that. Text/xml until the settings are known.
 * Throws when the way out cannot carry it: before the first byte has left.
 */
export async function xmlResponse(
  root: Element,
  { statusCode, delivery }: { statusCode: number; delivery: Delivery },
  { event, context }: Answered,
): Promise<APIGatewayProxyResult | StreamedResult> {
  const compressed = acceptsGzip(event)
  const document = documentOf(root)
  const expected = expectedBytes(document) * (compressed ? COMPRESSED_PART : 1)
  if (expected > delivery.mostBytes) throw answerTooLarge()
  const asXml = context.findings?.settings?.XML_API_Extension ?? true
  const headers = headersOf({ statusCode, asXml, compressed })
  const body =
    document.lists.length === 0 ? wholeBody(document, compressed) : streamedBody(document, compressed)
  return delivery.streams
    ? { statusCode, headers, body: Readable.from(body) }
    : { statusCode, headers, ...(await buffered(body, compressed, delivery)) }
}

const expectedBytes = ({ lists }: Frame): number => lists.reduce((sum, list) => sum + list.expectedBytes, 0)

type Body = Readable | readonly Uint8Array[]

/** Most answers are there as a whole: a stream would cost a starting Lambda more than a millisecond. */
function wholeBody(document: Frame, compressed: boolean): Body {
  const text = textOf(document)
  return [compressed ? gzipSync(text) : Buffer.from(text)]
}

function streamedBody(document: Frame, compressed: boolean): Body {
  const text = Readable.from(renderPieces(document), { objectMode: false })
  return compressed ? text.compose(createGzip()) : text
}

/** Compressed bytes go through API Gateway as base64. */
async function buffered(body: Body, compressed: boolean, { mostBytes }: Delivery) {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  const whole = Buffer.concat(pieces)
  if (whole.length > mostBytes) throw answerTooLarge()
  return { body: whole.toString(compressed ? 'base64' : 'utf8'), isBase64Encoded: compressed }
}

interface AnswerKind {
  readonly statusCode: number
  readonly asXml: boolean
  readonly compressed: boolean
}

const headersOf = ({ statusCode, asXml, compressed }: AnswerKind): Record<string, string> => ({
  'Content-Type': `${asXml ? 'text/xml' : 'text/html'}; charset=utf-8`,
  ...HEADERS_OF_EVERY_ANSWER,
  Vary: 'Accept-Encoding',
  ...(compressed && { 'Content-Encoding': 'gzip' }),
  ...(statusCode === 405 && { Allow: 'GET, POST' }),
})

/** RFC 9110, 12.5.3: named (or any) and not weighted 0. */
function acceptsGzip({ headers }: Pick<APIGatewayProxyEvent, 'headers'>): boolean {
  const [, accepted] = Object.entries(headers ?? {}).find(([name]) => /^accept-encoding$/i.test(name)) ?? []
  const codings = (accepted ?? '').toLowerCase().split(',').map(toCoding)
  const named =
    codings.find(({ coding }) => coding === 'gzip') ?? codings.find(({ coding }) => coding === '*')
  return named !== undefined && named.weight > 0
}

function toCoding(text: string): { coding: string; weight: number } {
  const [coding = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return { coding, weight: weight === undefined ? 1 : Number(weight.slice(2)) }
}
