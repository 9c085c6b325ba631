import type { Duplex } from 'node:stream'
import type { HapiRequest, HapiResponse, HapiServer, HapiToolkit } from 'serverless-offline'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import { refusalDocument } from '#lib/api/refusal-document.ts'
import { refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { wholeDocument } from '#lib/xml/render.ts'
import { isOfConsole } from './console-routes.ts'

/** Makes the local server pass requests on as API Gateway does, and answer in XML what never reaches a function. */
export function answerXmlEverywhere(server: HapiServer): void {
  server.ext('onRequest', asReceived)
  server.ext('onPreHandler', asBinary)
  server.ext('onPreResponse', asXml)
  server.listener.removeAllListeners('clientError')
  server.listener.on('clientError', (_error, socket) => refuseConnection(socket))
}

/** Answers what a function would be asked with a complaint, for as long as there is one. */
export function complainWhere(server: HapiServer, complaint: () => string | undefined): void {
  server.ext('onRequest', (request, h) => {
    const message = complaint()
    if (message === undefined || !/^\/(api|intake)\//.test(request.path)) return h.continue
    return answered(h, 500, wholeDocument(refusalBelowMethods(message))).takeover()
  })
}

/** No CORS headers, as the stack sends none; and a body without a type is a form (docs/api.md), instead of becoming JSON. */
function asReceived({ headers, path, raw }: HapiRequest, h: HapiToolkit) {
  delete headers['origin']
  if (path.startsWith('/intake/')) return asSent(headers, h)
  if (!headers['content-type']) raw.req.rawHeaders.push('Content-Type', 'application/x-www-form-urlencoded')
  return h.continue
}

/** The type of a switch's body is nothing to refuse it for: the function sees what was sent, the server takes any bytes. */
function asSent(headers: HapiRequest['headers'], h: HapiToolkit) {
  headers['content-type'] = BINARY
  return h.continue
}

/**
 * Every body is binary to the stack (binaryMediaTypes), so that its bytes arrive as they were sent. By the type in `mime`
 * serverless-offline would parse JSON, and hand over `0`, `false` or `null` in place of a body.
 */
function asBinary(request: HapiRequest, h: HapiToolkit) {
  request.headers['content-type'] = BINARY
  request.mime = BINARY
  return h.continue
}

const BINARY = 'application/octet-stream'

/** A function that ran answered XML; what is anything else, the server made up itself. */
function asXml(request: HapiRequest, h: HapiToolkit) {
  const { response } = request
  if (!response.isBoom && isOfConsole(request)) return h.continue
  if (!response.isBoom && isXml(response.headers['content-type'])) return h.continue
  const { statusCode } = response.isBoom ? response.output : response
  // A function that could not be loaded has left the server without a status.
  const status = Number.isInteger(statusCode) ? statusCode : 500
  return answered(h, status, refusalDocument(refusalFor(status)))
}

function answered(h: HapiToolkit, status: number, document: string): HapiResponse {
  const answer = h.response(document).code(status)
  for (const [name, value] of Object.entries(HEADERS_BELOW_METHODS)) answer.header(name, value)
  return answer
}

const isXml = (contentType: unknown): boolean => /^text\/(xml|html)\b/.test(String(contentType))

function refusalFor(status: number) {
  if (status === 404) return 'unknown_method'
  if (status === 413) return 'too_large'
  if (status === 415) return 'unsupported_type'
  return status < 500 ? 'bad_request' : 'internal'
}

/** What is not HTTP at all gets its answer by hand. */
function refuseConnection(socket: Duplex): void {
  if (!socket.writable) return
  const body = refusalDocument('bad_request')
  const head = [
    'HTTP/1.1 400 Bad Request',
    ...Object.entries(HEADERS_BELOW_METHODS).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.end([...head, 'Connection: close', '', body].join('\r\n'))
}
