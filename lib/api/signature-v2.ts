import { createHmac } from 'node:crypto'
import { headerOf } from '#lib/api/headers.ts'
import type { RequestEvent } from '#lib/api/raw-parameters.ts'
import { hexDigest, isSameText } from '#lib/base/digest.ts'
import { type SignedRequest, textToSign, V2_HEADERS } from './v2-text.ts'

export const signatureV2 = (request: SignedRequest, secret: string, textOf = textToSign): string =>
  createHmac('sha256', secret).update(textOf(request)).digest('hex')

/** A request that came with a v2 signature, which is not checked yet. */
export interface SentV2 {
  readonly request: SignedRequest
  /** As it was sent. */
  readonly signature: string
}

/** Reads a request's v2 signature; `undefined` without one: then the parameter `hash` counts. */
export function readV2(event: RequestEvent): SentV2 | undefined {
  const signature = headerOf(event, V2_HEADERS.signature.toLowerCase())
  if (signature === '') return undefined
  const { httpMethod: verb, body, isBase64Encoded, multiValueQueryStringParameters: query } = event
  const request = {
    verb,
    path: event.requestContext.path ?? event.path,
    query: Object.entries(query ?? {}).flatMap(([name, values = []]) =>
      values.map((value) => [name, value] as const),
    ),
    mediaType: headerOf(event, 'content-type').trim(),
    timestamp: headerOf(event, V2_HEADERS.timestamp.toLowerCase()),
    nonce: headerOf(event, V2_HEADERS.nonce.toLowerCase()),
    bodyDigest: hexDigest(isBase64Encoded ? Buffer.from(body ?? '', 'base64') : (body ?? '')),
  }
  return { request, signature: signature.trim() }
}

/** Whether the secret made the signature. The comparison takes constant time. */
export const isSignedV2 = (
  { request, signature }: SentV2,
  secret: string,
  textOf: (request: SignedRequest) => string = textToSign,
): boolean =>
  isWellFormed(request) && isSameText(signature.toLowerCase(), signatureV2(request, secret, textOf))

/** A nonce of 16 characters is random enough. */
export const isWellFormed = ({ timestamp, nonce }: SignedRequest): boolean =>
  /^\d{1,12}$/.test(timestamp) && /^[\w-]{16,64}$/.test(nonce)

/** A signature is valid for five minutes before and after its timestamp, since clocks differ. */
export const V2_SECONDS = 300

export const isInTime = ({ request }: SentV2, now: Date): boolean =>
  Math.abs(now.getTime() / 1000 - Number(request.timestamp)) <= V2_SECONDS
