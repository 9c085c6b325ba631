import { pipeline, Readable } from 'node:stream'
import { createGzip, gzipSync } from 'node:zlib'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { RELEASE } from '#lib/table/table-format.ts'
import type { Element, Markup } from '#lib/xml/element.ts'
import { refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { documentOf, type Frame, frameText, renderPieces, wholeDocument } from '#lib/xml/render.ts'
import { type ApiError, answerTooLarge, httpRefusal } from './errors.ts'
import { HEADERS_OF_EVERY_ANSWER, headerOf, RETRY_IN_A_MINUTE, VERSION_HEADER } from './headers.ts'
import type { RequestState } from './request-context.ts'

/** An answer that is rendered while its body is read. */
export interface StreamedResult {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

/** Whether an answer is rendered while its body is read. */
export const isStreamed = (response: unknown): response is StreamedResult =>
  typeof response === 'object' && response !== null && 'body' in response && response.body instanceof Readable

/** A process returns answers as a stream or whole, up to a size limit. */
export interface AnswerTransport {
  readonly streams: boolean
  /** Returns its stream to a server of this process. Otherwise a Lambda's runtime wraps the handler. */
  readonly unwrapped?: true
  readonly maxBytes: number
}

/** The parts of a request that decide the headers and the compression of its answer. */
export interface RequestToAnswer {
  readonly event: Pick<APIGatewayProxyEvent, 'headers'>
  readonly context: { readonly requestState?: RequestState }
}

/** Rows of a list compress to less than this share of their size. */
const COMPRESSED_SHARE = 1 / 4

/**
 * Returns the document with its headers, compressed if the client accepts gzip. It is text/xml unless the
 * settings say otherwise. Throws before the first byte is sent if the answer exceeds the transport's limit.
 */
export async function xmlResponse(
  root: Element | Markup,
  statusCode: number,
  transport: AnswerTransport,
  { event, context }: RequestToAnswer,
): Promise<APIGatewayProxyResult | StreamedResult> {
  const compressed = acceptsGzip(event)
  const document = documentOf(root)
  const expected = expectedBytes(document) * (compressed ? COMPRESSED_SHARE : 1)
  if (expected > transport.maxBytes) {
    discardRows(document)
    throw answerTooLarge()
  }
  const requestState = context.requestState ?? {}
  const type = typeOf(root, requestState)
  const headers = headersOf(statusCode, { compressed, type }, requestState)
  if (isSentAsStream(document, transport))
    return { statusCode, headers, body: streamOf(bodyOf(document, compressed)) }
  const body = compressed
    ? (await bytesOf(bodyOf(document, true), transport)).toString('base64')
    : await textOf(document, transport)
  return { statusCode, headers, body, isBase64Encoded: compressed }
}

/** The runtime takes only streams from a wrapped handler. Without it, a whole answer needs none. */
const isSentAsStream = ({ lists }: Frame, { streams, unwrapped }: AnswerTransport): boolean =>
  streams && (!unwrapped || lists.length > 0)

function typeOf(root: Element | Markup, { settings }: RequestState): string {
  if ('markup' in root) return 'plain'
  return (settings?.XML_API_Extension ?? true) ? 'xml' : 'html'
}

const expectedBytes = ({ lists }: Frame): number => lists.reduce((sum, list) => sum + list.expectedBytes, 0)

type Body = Readable | readonly Uint8Array[]

const streamOf = (body: Body): Readable => (body instanceof Readable ? body : Readable.from(body))

const bodyOf = (document: Frame, compressed: boolean): Body =>
  document.lists.length === 0 ? wholeBody(document, compressed) : streamedBody(document, compressed)

/** Most answers have no long lists and need no stream, which costs a cold start over a millisecond. */
function wholeBody(document: Frame, compressed: boolean): Body {
  const text = frameText(document)
  return [compressed ? gzipSync(text) : Buffer.from(text)]
}

/** If the reader leaves, the body is destroyed, and with it the text. */
function streamedBody(document: Frame, compressed: boolean): Readable {
  const text = Readable.from(renderPieces(document), { objectMode: false })
  text.once('close', () => discardRows(document))
  return compressed ? pipeline(text, createGzip(), () => undefined) : text
}

function discardRows({ lists }: Frame): void {
  for (const { discard } of lists) discard?.()
}

/** API Gateway takes them as base64. */
async function bytesOf(body: Body, { maxBytes }: AnswerTransport): Promise<Buffer> {
  const whole = Buffer.concat(await Array.fromAsync(body))
  if (whole.length > maxBytes) throw answerTooLarge()
  return whole
}

/** The text of an answer that is neither compressed nor streamed never becomes bytes here. */
async function textOf(document: Frame, { maxBytes }: AnswerTransport): Promise<string> {
  let [text, bytes] = ['', 0]
  try {
    for await (const piece of document.lists.length > 0 ? renderPieces(document) : document.pieces) {
      text += piece
      bytes += Buffer.byteLength(piece)
      if (bytes > maxBytes) throw answerTooLarge()
    }
    return text
  } finally {
    discardRows(document)
  }
}

const headersOf = (
  statusCode: number,
  { compressed, type }: { readonly compressed: boolean; readonly type: string },
  { caller }: RequestState,
): Record<string, string> => ({
  'Content-Type': `text/${type}; charset=utf-8`,
  ...HEADERS_OF_EVERY_ANSWER,
  Vary: 'Accept-Encoding',
  ...(compressed && { 'Content-Encoding': 'gzip' }),
  ...(statusCode === 405 && { Allow: 'GET, POST' }),
  ...(statusCode === 429 && RETRY_IN_A_MINUTE),
  ...(caller && { [VERSION_HEADER]: RELEASE }),
})

/** Whether `gzip` or `*` is accepted with a weight above 0 (RFC 9110, 12.5.3). */
export function acceptsGzip(event: Pick<APIGatewayProxyEvent, 'headers'>): boolean {
  const codings = headerOf(event, 'accept-encoding').toLowerCase().split(',').map(toCoding)
  const named =
    codings.find(({ coding }) => coding === 'gzip') ?? codings.find(({ coding }) => coding === '*')
  return named !== undefined && named.weight > 0
}

function toCoding(text: string): { coding: string | undefined; weight: number } {
  const [coding, ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return { coding, weight: weight === undefined ? 1 : Number(weight.slice(2)) }
}

/** The document of a refusal without a method: an unknown path, or the server before the functions. */
export const refusalDocument = (...refusal: Parameters<typeof httpRefusal>): string =>
  documentOfRefusal(httpRefusal(...refusal))

export const documentOfRefusal = ({ message, reason }: ApiError): string =>
  wholeDocument(refusalBelowMethods(message, reason))
