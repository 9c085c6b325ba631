import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { isIP } from 'node:net'
import { addressToUse, hostOf, isOnThisMachine, urlRefusal } from './public-address.ts'

/** How a receiver answered: its status, or why there is none. */
export type PostOutcome =
  | { readonly status: number; readonly body?: string | undefined }
  | { readonly error: string }

/** Everything together: the name, the connection, TLS and the head of the answer. */
const POST_MS = 5000

/** In characters, of an answer that has to echo a challenge. */
const MAX_ECHO = 1000

/** In bytes. The rest of an answer is never read. */
const MAX_HEAD = 8192

interface Posted {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Endpoints on this machine get it, too. A Lambda never sets it. */
  readonly isTest: boolean
  /** The beginning of the answer's body is read, too. */
  readonly readsBody?: boolean | undefined
}

export type PostWebhook = (posted: Posted) => Promise<PostOutcome>

type OpenResolver = () => Pick<Resolver, 'resolve4' | 'resolve6' | 'cancel'>

interface Attempt {
  readonly signal: AbortSignal
  readonly openResolver: OpenResolver
}

/** Posts to a public address over TLS, follows no redirect, reads only the answer's head. Never throws. */
export const postWebhook = async (
  posted: Posted,
  openResolver: OpenResolver = () => new Resolver(),
): Promise<PostOutcome> => {
  const refusal = urlRefusal(posted.url, posted.isTest)
  if (refusal !== undefined) return { error: `the URL ${refusal}` }
  const signal = AbortSignal.timeout(POST_MS)
  try {
    const posting = postTo(new URL(posted.url), posted, { signal, openResolver })
    return await Promise.race([posting, rejectedBy(signal)])
  } catch (error) {
    return { error: signal.aborted ? `no answer within ${POST_MS / 1000} s` : reasonOf(error) }
  }
}

const rejectedBy = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })

/** Resolves once, and connects to the checked address: a later answer of the resolver changes nothing. */
async function postTo(
  url: URL,
  { headers, body, isTest, readsBody }: Posted,
  { signal, openResolver }: Attempt,
): Promise<PostOutcome> {
  const isHere = isTest && isOnThisMachine(url)
  const host = hostOf(url)
  const address = isHere ? { address: host } : addressToUse(await addressesOf(host, { signal, openResolver }))
  if (!address) return { error: `${host} has an address that is not public` }
  const options = {
    method: 'POST',
    agent: false,
    signal,
    headers: {
      ...headers,
      host: url.host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Tollgate-Webhooks',
    },
    host: address.address,
    path: url.pathname + url.search,
    port: url.port,
    maxHeaderSize: MAX_HEAD,
    ...(!isHere && isIP(host) === 0 && { servername: host }),
  }
  return answerTo(isHere ? plainRequest : request, options, { body, readsBody })
}

/**
 * Asks the name servers on sockets of its own. `dns.lookup` waits in one of four threads that this process
 * shares, and cannot be cancelled: a few names that never resolve would keep all others waiting.
 */
async function addressesOf(host: string, { signal, openResolver }: Attempt): Promise<LookupAddress[]> {
  if (isIP(host) !== 0) return [{ address: host, family: isIP(host) }]
  if (/(^|\.)localhost\.?$/.test(host)) return [{ address: '127.0.0.1', family: 4 }]
  const resolver = openResolver()
  signal.addEventListener('abort', () => resolver.cancel())
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason
  return [
    ...(ipv4.status === 'fulfilled' ? ipv4.value : []).map((address) => ({ address, family: 4 })),
    ...(ipv6.status === 'fulfilled' ? ipv6.value : []).map((address) => ({ address, family: 6 })),
  ]
}

const answerTo = (
  send: typeof request,
  options: RequestOptions,
  { body, readsBody }: Pick<Posted, 'body' | 'readsBody'>,
): Promise<PostOutcome> =>
  new Promise((resolve, reject) => {
    const sent = send(options, (answer) => {
      const status = answer.statusCode ?? 0
      const read = readsBody ? beginningOf(answer).then((echo) => ({ status, body: echo })) : { status }
      Promise.resolve(read)
        .then(resolve, reject)
        .finally(() => sent.destroy())
    })
    sent.on('error', reject)
    sent.end(body)
  })

async function beginningOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk
    if (text.length > MAX_ECHO) break
  }
  return text
}

/** Codes such as ECONNREFUSED and CERT_HAS_EXPIRED. Messages would name addresses. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'no connection'
