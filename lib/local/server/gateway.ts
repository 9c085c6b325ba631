import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { APIGatewayProxyResult, Context } from 'aws-lambda'
import { ApiError, httpRefusal } from '#lib/api/errors.ts'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import { ANSWER_TIMEOUT_SECONDS } from '#lib/local/contracts/functions-config.ts'
import type { Handler } from '#lib/stack/stack.ts'
import { refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { wholeDocument } from '#lib/xml/render.ts'
import { proxyEvent } from './proxy-event.ts'

/** The API of the stack on a local port. */
export interface Gateway {
  readonly url: string
  stop(): Promise<void>
}

/** A function and where it answers. */
export interface Route {
  /** As API Gateway has it: `{name}` stands for a segment, `{name+}` for all that follow. */
  readonly path: string
  /** Every verb if it is missing. */
  readonly verbs?: readonly string[]
  readonly handler: Handler
  /** Seconds. */
  readonly timeout?: number | undefined
}

/** Bytes of a body: API Gateway takes 10 MB. */
const MOST_BYTES = 10 * 1024 * 1024

/** In milliseconds: requests under way may end when the server does. */
const LONGEST_END = 5000

/**
 * Serves functions as API Gateway does, over HTTP on a local port and all in this process. `routes` returns the current
 * routes; the first one that fits a request answers it.
 */
export async function startGateway(port: number, routes: () => readonly Route[]): Promise<Gateway> {
  // Node itself answers a request without Host, or with an unknown Expect, without XML.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    answerTo(request, routes())
      .then((answer) => send(response, answer))
      .catch((error: unknown) => send(response, refusalOf(error, request)))
  })
  server.on('checkExpectation', (_request, response) =>
    send(response, { ...refusalOf(httpRefusal('bad_request')), statusCode: 417 }),
  )
  server.on('clientError', (_error, socket) => refuseConnection(socket))
  await once(server.listen(port, 'localhost'), 'listening')
  return { url: `http://localhost:${port}`, stop: () => stopServer(server) }
}

async function stopServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // A connection is idle when the answer to its request has left.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const patience = setTimeout(() => server.closeAllConnections(), LONGEST_END)
  await closed
  clearInterval(idle)
  clearTimeout(patience)
}

async function answerTo(request: IncomingMessage, routes: readonly Route[]): Promise<APIGatewayProxyResult> {
  const { method: verb = '' } = request
  const body = await bodyOf(request)
  const url = urlOf(request)
  const path = decodeURIComponent(url.pathname).replace(/(?<=.)\/+$/, '')
  for (const { path: template, verbs, handler, timeout = ANSWER_TIMEOUT_SECONDS } of routes) {
    const match = (verbs ?? [verb]).includes(verb) && patternOf(template).exec(path)
    if (!match) continue
    const event = proxyEvent(request, url, { path: template, parameters: match.groups }, body)
    return handler(event, contextFor(timeout))
  }
  throw httpRefusal('unknown_method')
}

/** A body that is too large is read to its end: a client that is still sending would not see the answer. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request) {
    bytes += piece.length
    if (bytes <= MOST_BYTES) pieces.push(piece)
  }
  if (bytes > MOST_BYTES) throw httpRefusal('too_large')
  return Buffer.concat(pieces)
}

/** Throws 400 also for a path with escapes that are not UTF-8. */
function urlOf({ url = '', headers, httpVersion }: IncomingMessage): URL {
  if (headers.host === undefined && httpVersion === '1.1') throw httpRefusal('bad_request')
  try {
    const parsed = new URL(url, 'http://localhost')
    decodeURIComponent(parsed.pathname)
    return parsed
  } catch {
    throw httpRefusal('bad_request')
  }
}

function patternOf(template: string): RegExp {
  const pattern = template
    .replaceAll('.', '\\.')
    .replace(/\{(\w+)\}/, '(?<$1>[^/]+)')
    .replace(/\{(\w+)\+\}/, '(?<$1>.+)')
  return new RegExp(`^${pattern}$`)
}

function contextFor(seconds: number): Context {
  const deadline = Date.now() + seconds * 1000
  return {
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  } as Context
}

function send(
  response: ServerResponse,
  { statusCode, headers, body, isBase64Encoded }: APIGatewayProxyResult,
) {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  const fields = { ...headers, 'Content-Length': bytes.length } as OutgoingHttpHeaders
  response.writeHead(statusCode, fields).end(bytes)
}

/** An error that is no refusal comes from a bug in a function, or from a client that left while it was sending. */
function refusalOf(error: unknown, request?: IncomingMessage): APIGatewayProxyResult {
  const isBug = !(error instanceof ApiError)
  if (isBug && request?.complete) process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  const { status: statusCode, message } = isBug ? httpRefusal('internal') : error
  return { statusCode, headers: HEADERS_BELOW_METHODS, body: wholeDocument(refusalBelowMethods(message)) }
}

/** A request that is not HTTP has no response: the answer is written to its socket. */
function refuseConnection(socket: Duplex): void {
  if (!socket.writable) return
  const { headers, body } = refusalOf(httpRefusal('bad_request'))
  const fields = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  socket.end(['HTTP/1.1 400 Bad Request', ...lines, '', body].join('\r\n'))
}
