/** A request as its v2 signature covers it (docs/keys.md). */
export interface SignedRequest {
  readonly verb: string
  /** The path as the client requests it, stage and base path included. */
  readonly path: string
  /** The decoded names and values of the query string. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** The sent Content-Type with its parameters, or blank. It decides how the body is read. */
  readonly mediaType: string
  /** Unix seconds. */
  readonly timestamp: string
  readonly nonce: string
  /** The SHA-256 of the body, in lower-case hex. */
  readonly bodyDigest: string
}

/** The first line of the text, so that no other text that the key signs can be one of these. */
export const V2_VERSION = 'tollgate-v2.1'

/** The text that is signed: seven parts after the version, a line for each. */
export const textToSign = (request: SignedRequest): string => {
  const { verb, path, query, mediaType, timestamp, nonce, bodyDigest } = request
  return [V2_VERSION, verb, path, queryToSign(query), mediaType, timestamp, nonce, bodyDigest].join('\n')
}

/** The version before, whose text left the media type open. It is refused. */
export const EARLIER_V2_VERSION = 'tollgate-v2'

/** The text that a client of the earlier version signs. */
export const earlierText = ({ verb, path, query, timestamp, nonce, bodyDigest }: SignedRequest): string =>
  [EARLIER_V2_VERSION, verb, path, queryToSign(query), timestamp, nonce, bodyDigest].join('\n')

/** Sorted by name; several values of a name stay in their order. Escapes are those of RFC 3986. */
const queryToSign = (query: SignedRequest['query']): string =>
  query
    .map(([name, value]) => [escaped(name), escaped(value)] as const)
    .sort(([one], [other]) => Number(one > other) - Number(one < other))
    .map((pair) => pair.join('='))
    .join('&')

const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

export const V2_HEADERS = {
  timestamp: 'Tollgate-Timestamp',
  nonce: 'Tollgate-Nonce',
  signature: 'Tollgate-Signature',
} as const
