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
import { pipeline } from 'node:stream/promises'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { ApiError, httpRefusal } from '#lib/api/errors.ts'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import { documentOfRefusal, isStreamed, type StreamedResult } from '#lib/api/response.ts'
import type { Handler } from '#lib/api/stack/stack.ts'
import { memoize } from '#lib/base/collections.ts'
import { ANSWER_TIMEOUT_SECONDS } from '#tools/contracts/functions-config.ts'
import type { ServedRoute } from '#tools/machine/built-files.ts'

/** The API of the stack on a local port. */
export interface Gateway {
  readonly url: string
  stop(): Promise<void>
}

export interface Route extends Omit<ServedRoute, 'file'> {
  readonly handler: Handler
}

/** The limit of API Gateway. */
const MAX_BODY_BYTES = 10 * 1024 * 1024

/** When the server stops, open requests have this time to end. */
const STOP_TIMEOUT_MS = 5000

/**
 * Serves functions on a local port as API Gateway does, in this process. `routes` returns the current routes,
 * of which the first match answers, plain paths before patterns. A connection's requests are answered in
 * sequence: a client that sends a thousand at once does not delay others.
 */
export async function startGateway(
  { port, host = 'localhost' }: { readonly port: number; readonly host?: string | undefined },
  routes: () => readonly Route[] | Promise<readonly Route[]>,
): Promise<Gateway> {
  const answered = new WeakMap<Duplex, Promise<void>>()
  // Node's own answers to a request without Host, and to an unknown Expect, are not XML.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    const earlier = answered.get(request.socket) ?? Promise.resolve()
    const answer = earlier
      .then(async () => send(response, await answerTo(request, await routes())))
      .catch((error: unknown) => send(response, refusalOf(error, request)))
    answered.set(request.socket, answer)
  })
  server.on('checkExpectation', (_request, response) =>
    send(response, {
      ...refusalOf(httpRefusal('bad_request', 'The header Expect is unknown')),
      statusCode: 417,
    }),
  )
  server.on('clientError', (error, socket) => refuseConnection(error, socket))
  await once(server.listen(port, host), 'listening')
  return { url: `http://localhost:${port}`, stop: () => stopServer(server) }
}

async function stopServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // A connection becomes idle when its answer is sent.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const patience = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS)
  await closed
  clearInterval(idle)
  clearTimeout(patience)
}

type Answer = APIGatewayProxyResult | StreamedResult

async function answerTo(request: IncomingMessage, routes: readonly Route[]): Promise<Answer> {
  const { method: verb = '' } = request
  const body = await bodyOf(request)
  const url = urlOf(request)
  const path = resourcePathOf(url)
  const { plain, patterns } = routesByKind(routes)
  for (const route of [...(plain.get(path) ?? []), ...patterns]) {
    const { path: template, verbs, handler, timeout = ANSWER_TIMEOUT_SECONDS } = route
    const match = (verbs ?? [verb]).includes(verb) && patternOf(template).exec(path)
    if (!match) continue
    const event = proxyEvent(request, url, { path: template, parameters: match.groups }, body)
    return handler(event, contextFor(timeout))
  }
  throw httpRefusal('unknown_method', 'Methods are at /api/<method>')
}

/** Most routes are plain paths, which are found at once and go before patterns. */
const routesByKind = memoize((routes: readonly Route[]) => ({
  plain: Map.groupBy(routes, ({ path }) => path),
  patterns: routes.filter(({ path }) => path.includes('{')),
}))

/**
 * A request's path to its function. As with base path mappings of a domain (infra/domain.yml), `/billing`
 * also serves the paths. Doubled and trailing slashes are ignored (wire.md 1.1).
 */
const resourcePathOf = ({ pathname }: URL): string =>
  decodeURIComponent(
    pathname
      .replace(/\/{2,}/g, '/')
      .replace(/^\/billing(?=\/)/, '')
      .replace(/(?<=.)\/$/, ''),
  )

/** Reads even a too large body to its end: a client that is still sending sees no answer. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of request) {
    bytes += piece.length
    if (bytes <= MAX_BODY_BYTES) pieces.push(piece)
  }
  if (bytes > MAX_BODY_BYTES) throw httpRefusal('too_large')
  return Buffer.concat(pieces)
}

/** Throws 400 for a missing Host, a malformed URL, and a path with escapes that are not UTF-8. */
function urlOf({ url = '', headers, httpVersion }: IncomingMessage): URL {
  if (headers.host === undefined && httpVersion === '1.1')
    throw httpRefusal('bad_request', 'The header Host is missing')
  try {
    // Two leading slashes would begin the name of a host.
    const parsed = new URL(url.replace(/^\/{2,}/, '/'), 'http://localhost')
    decodeURIComponent(parsed.pathname)
    return parsed
  } catch {
    throw httpRefusal('bad_request', 'The path has escapes that are not UTF-8')
  }
}

/** Compiled once: a request is compared with all of them. */
const patternOf = memoize((template: string): RegExp => {
  const pattern = template
    .replaceAll('.', '\\.')
    .replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
    .replace(/\{(\w+)\+\}/, '(?<$1>.+)')
  return new RegExp(`^${pattern}$`)
})

function contextFor(seconds: number): Context {
  const deadline = Date.now() + seconds * 1000
  return {
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  } as Context
}

/** Resolves when the answer is sent. A broken stream ends the connection: its length was not announced. */
async function send(response: ServerResponse, answer: Answer): Promise<void> {
  if (isStreamed(answer)) {
    response.writeHead(answer.statusCode, answer.headers)
    return pipeline(answer.body, response).catch(() => undefined)
  }
  const { statusCode, headers, body, isBase64Encoded } = answer
  // Node writes a text together with the headers, and bytes after them.
  const content = isBase64Encoded ? Buffer.from(body, 'base64') : body
  const fields = { ...headers, 'Content-Length': Buffer.byteLength(content) } as OutgoingHttpHeaders
  response.writeHead(statusCode, fields).end(content)
}

/** The answer to an error: other than ApiError, it is a function's bug or a client that left early. */
function refusalOf(error: unknown, request?: IncomingMessage): APIGatewayProxyResult {
  const isBug = !(error instanceof ApiError)
  if (isBug && request?.complete) process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  const refusal = isBug ? httpRefusal('internal') : error
  return { statusCode: refusal.status, headers: HEADERS_BELOW_METHODS, body: documentOfRefusal(refusal) }
}

/** Node's limit of the request line with the headers. */
const TOO_LONG = 'The URL and the headers have more than 16 KB: send long values in the body of a POST'

/** Node has no response object for a request that is not HTTP, so the answer is written to the socket. */
function refuseConnection({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return
  const isLong = code === 'HPE_HEADER_OVERFLOW'
  const { headers, body } = refusalOf(httpRefusal('bad_request', isLong ? TOO_LONG : 'This is not HTTP/1.1'))
  const fields = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${isLong ? '414 URI Too Long' : '400 Bad Request'}`, ...lines, '', body].join('\r\n'))
}

/** The resource of an API that matches a path, and the values of its path parameters. */
export interface MatchedPath {
  readonly path: string
  readonly parameters: Readonly<Record<string, string>> | undefined
}

/** The event of API Gateway for a request to a REST API whose media types are all binary. */
export function proxyEvent(
  request: IncomingMessage,
  { pathname: path, searchParams }: URL,
  resource: MatchedPath,
  body: Buffer,
): APIGatewayProxyEvent {
  const multiValueHeaders = valuesByName(headersOf(request))
  const query = searchParams.size > 0 ? valuesByName(searchParams) : null
  return {
    resource: resource.path,
    path,
    httpMethod: request.method ?? '',
    headers: lastValues(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: query && lastValues(query),
    multiValueQueryStringParameters: query,
    pathParameters: resource.parameters ? { ...resource.parameters } : null,
    stageVariables: null,
    requestContext: contextOf(request, path, resource.path),
    body: body.length > 0 ? body.toString('base64') : null,
    isBase64Encoded: body.length > 0,
  }
}

/** Node lists names and values alternately. */
const headersOf = ({ rawHeaders }: IncomingMessage): [name: string, value: string][] =>
  rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []))

function valuesByName(pairs: Iterable<[name: string, value: string]>): Record<string, string[]> {
  const byName = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    const values = byName.get(name)
    if (values) values.push(value)
    else byName.set(name, [value])
  }
  return Object.fromEntries(byName)
}

const lastValues = (byName: Readonly<Record<string, readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(byName).map(([name, values]) => [name, values.at(-1) ?? '']))

/** The identity is only the address: there are no authorizers, API keys or certificates. */
const contextOf = (
  { method = '', headers, socket }: IncomingMessage,
  path: string,
  resourcePath: string,
): APIGatewayProxyEvent['requestContext'] =>
  ({
    httpMethod: method,
    identity: { sourceIp: socket.remoteAddress ?? '', userAgent: headers['user-agent'] ?? null },
    path,
    protocol: 'HTTP/1.1',
    requestId: randomUUID(),
    requestTimeEpoch: Date.now(),
    resourcePath,
    stage: 'local',
  }) as APIGatewayProxyEvent['requestContext']
