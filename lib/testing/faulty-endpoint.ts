import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { type Arrived, aServer, type TestServer } from './server.ts'

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
  /** DynamoDB refuses it under this name. */
  | { readonly refusal: string; readonly status?: number }

/** A DynamoDB in front of the one at `endpoint`; `next` says of each operation as it arrives what happens to it. */
export const faultyEndpoint = (
  endpoint: string,
  next: (operation: string) => Mishap | undefined,
): Promise<TestServer> =>
  aServer(async (request, response) => {
    const mishap = next(String(request.headers['x-amz-target']).replace(/.*\./, ''))
    if (mishap === 'silence') return
    if (mishap === 'broken off') return void response.socket?.destroy()
    if (typeof mishap === 'object') return refuse(response, mishap)
    await passOn(endpoint, request, { response, mishap })
  })

function refuse(response: ServerResponse, { refusal, status = 400 }: { refusal: string; status?: number }) {
  response.statusCode = status
  response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${refusal}`, message: 'No' }))
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
