import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { urlToHttpOptions } from 'node:url'
import aws4 from 'aws4'
import type { Account } from './account.ts'

/** A request before it is signed. */
export interface AwsRequest {
  readonly method: 'GET' | 'PUT' | 'POST'
  /** See `pathOf`. */
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
}

/**
 * The names between the slashes, as AWS reads paths for their signature: everything is percent-encoded but what RFC 3986
 * (section 2.3) leaves alone.
 */
export const pathOf = (...names: readonly string[]): string => `/${names.map(percentEncoded).join('/')}`

const percentEncoded = (name: string): string =>
  encodeURIComponent(name).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

/** One service of AWS, reached over connections that stay open. */
export interface Requests {
  /** Answers when the headers are there, whatever the status. Rejects when no answer comes. */
  send(request: AwsRequest): Promise<IncomingMessage>
  close(): void
}

export interface Service {
  /** As signatures name it: dynamodb, s3, sqs. */
  readonly name: string
  /** Scheme, host and port. */
  readonly endpoint: string
  readonly account: Account
  /** In milliseconds, without a byte. */
  readonly longestSilence?: number
}

/** A connection that died unnoticed, while a Lambda was frozen, ends here at the latest. */
const LONGEST_SILENCE = 10_000

const MOST_CONNECTIONS = 50

/**
 * Requests with AWS's signature, version 4. In the place of the SDK's clients, in which a cold start spends more time
 * than in everything else (docs/decisions.md).
 */
export function openRequests(service: Service): Requests {
  const { name, endpoint, account, longestSilence: timeout = LONGEST_SILENCE } = service
  const url = new URL(endpoint)
  const { hostname, port } = urlToHttpOptions(url)
  const { request, Agent } = transportOf(url.protocol)
  const agent = new Agent({ keepAlive: true, maxSockets: MOST_CONNECTIONS })
  return {
    send: async ({ method, path, headers = {}, body }) => {
      const unsigned = { service: name, region: account.region, host: url.host, method, path, headers, body }
      const signed = aws4.sign(unsigned as aws4.Request, await account.credentials())
      const options = { hostname, port, method, path, agent, timeout }
      return answerTo(request({ ...options, headers: signed.headers }), body)
    },
    close: () => agent.destroy(),
  }
}

/** Only one of the two is loaded: with TLS come a dozen modules that an engine on this machine has no use for. */
const transportOf = (protocol: string) =>
  protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http')

const answerTo = (leaving: ClientRequest, body: AwsRequest['body']): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    leaving.on('response', resolve)
    leaving.on('error', reject)
    leaving.on('timeout', () => leaving.destroy(noAnswer()))
    leaving.end(body)
  })

const noAnswer = () => Object.assign(new Error('No answer came in time'), { code: 'ETIMEDOUT' })
