import { randomUUID } from 'node:crypto'
import { signatureV2 } from '#lib/api/signature-v2.ts'
import { V2_HEADERS } from '#lib/api/v2-text.ts'
import { hexDigest } from '#lib/base/digest.ts'

interface UnsignedRequest {
  readonly url: string
  readonly verb: string
  readonly body: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The headers that sign a request with v2 (docs/keys.md), at this moment and for one use. */
export function v2Headers(
  { url, verb, body, headers }: UnsignedRequest,
  secret: string,
  now: Date,
): Readonly<Record<string, string>> {
  const { pathname: path, searchParams } = new URL(url)
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const nonce = randomUUID()
  const bodyDigest = hexDigest(body)
  const mediaType = headers['Content-Type'] ?? ''
  const request = { verb, path, query: [...searchParams], mediaType, timestamp, nonce, bodyDigest }
  return {
    [V2_HEADERS.timestamp]: timestamp,
    [V2_HEADERS.nonce]: nonce,
    [V2_HEADERS.signature]: signatureV2(request, secret),
  }
}
