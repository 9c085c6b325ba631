import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { type Arrived, aServer, type TestServer } from './server.ts'

/** A request as it arrives. */
export interface TableRequest {
  /** Such as `UpdateItem`. */
  readonly operation: string
  /** In JSON. */
  readonly input: string
  readonly headers: IncomingHttpHeaders
}

/** What may happen to a request on its way to DynamoDB, or to the answer on its way back. */
export type Mishap =
  /** The connection breaks before anything is done. */
  | 'broken off'
  /** It is done, and the connection breaks. */
  | 'answer lost'
  /** It is done, and half of the answer arrives. */
  | 'answer cut short'
  /** Nothing is done, and no byte ever comes back. */
  | 'silence'
  /** Something in between answers in DynamoDB's place, in HTML. */
  | 'HTML'
  | Refusal
  | Answer

/** DynamoDB refuses it under this name. */
interface Refusal {
  readonly refusal: string
  readonly status?: number
  /** What it says besides. */
  readonly rest?: object
}

/** DynamoDB answers this, and does nothing. */
interface Answer {
  readonly answer: object
}

/**
 * A DynamoDB in front of the one at `endpoint`; `next` says of each request as it arrives what happens to it. Its clock
 * is `ahead` by so many milliseconds.
 */
export const faultyEndpoint = (
  endpoint: string,
  next: (request: TableRequest) => Mishap | undefined,
  ahead = 0,
): Promise<TestServer> =>
  aServer(async (request, response) => {
    response.setHeader('Date', new Date(Date.now() + ahead).toUTCString())
    const { headers, body: input } = request
    const mishap = next({ operation: String(headers['x-amz-target']).replace(/.*\./, ''), input, headers })
    if (mishap === 'silence') return
    if (mishap === 'broken off') return void response.socket?.destroy()
    if (mishap === 'HTML') return void response.writeHead(503, { 'Content-Type': 'text/html' }).end(PAGE)
    if (typeof mishap === 'object') return answerItself(response, mishap)
    await passOn(endpoint, request, { response, mishap })
  })

const PAGE = '<html><body><h1>503 Service Unavailable</h1></body></html>'

function answerItself(response: ServerResponse, mishap: Refusal | Answer) {
  if ('answer' in mishap) return void response.end(JSON.stringify(mishap.answer))
  const { refusal, status = 400, rest } = mishap
  response.statusCode = status
  const said = { __type: `com.amazonaws.dynamodb.v20120810#${refusal}`, message: 'No', ...rest }
  response.end(JSON.stringify(said))
}

interface WayBack {
  readonly response: ServerResponse
  readonly mishap: 'answer lost' | 'answer cut short' | undefined
}

async function passOn(endpoint: string, { body, headers }: Arrived, { response, mishap }: WayBack) {
  const answer = await fetch(endpoint, { method: 'POST', body, headers: passedOn(headers) })
  const text = await answer.text()
  if (mishap === 'answer lost') return void response.socket?.destroy()
  response.writeHead(answer.status, { 'Content-Length': Buffer.byteLength(text) })
  if (!mishap) return void response.end(text)
  response.write(text.slice(0, text.length / 2), () => response.socket?.destroy())
}

const PASSED_ON = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target']

const passedOn = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(PASSED_ON.map((name) => [name, String(headers[name])]))
