import { createHmac } from 'node:crypto'
import { hexDigest } from '#lib/base/digest.ts'
import { isInTime, isSignedV2, isWellFormed, type SentV2, V2_SECONDS } from '../signature-v2.ts'
import { EARLIER_V2_VERSION, earlierText, type SignedRequest, textToSign, V2_VERSION } from '../v2-text.ts'
import type { HashExplanation } from './in-words.ts'

/** The making of a v2 signature. The code is logged; code and words contain no key or value. */
export interface V2Finding extends HashExplanation {
  readonly code: string
}

/** A way in which clients sign that is not the documented one. */
interface UnusualWay {
  readonly code: string
  /** Completes "The signature was made ...". */
  readonly says: string
  readonly advice: string
  readonly sign: (request: SignedRequest, secret: string) => string
}

const hmac = (text: string, secret: string | Buffer): string =>
  createHmac('sha256', secret).update(text).digest('hex')

const changed = (
  code: string,
  says: string,
  advice: string,
  change: (request: SignedRequest) => Partial<SignedRequest>,
): UnusualWay => ({
  code,
  says,
  advice,
  sign: (request, secret) => hmac(textToSign({ ...request, ...change(request) }), secret),
})

const PATH_ADVICE =
  'Sign the path of the URL that you request, with stage and base path, without host and query.'

const UNUSUAL_WAYS: readonly UnusualWay[] = [
  changed('path_from_api', 'over the path from /api on', PATH_ADVICE, ({ path }) => ({
    path: path.replace(/^.*(?=\/api\/)/, ''),
  })),
  changed('method_name', 'over the name of the method instead of the path', PATH_ADVICE, ({ path }) => ({
    path: path.replace(/^.*\//, ''),
  })),
  changed(
    'verb_in_lower_case',
    'over the verb in lower case',
    'Sign the verb in upper case.',
    ({ verb }) => ({
      verb: verb.toLowerCase(),
    }),
  ),
  changed('no_query', 'without the query', 'Sign the query string, sorted by name.', () => ({ query: [] })),
  changed(
    'no_media_type',
    'without the media type',
    'Sign the header Content-Type as you send it, with its parameters.',
    () => ({ mediaType: '' }),
  ),
  changed(
    'media_type_alone',
    'over the media type without its parameters',
    'Sign the header Content-Type as you send it, with its parameters.',
    ({ mediaType }) => ({ mediaType: mediaType.split(';', 1)[0]?.trimEnd() ?? '' }),
  ),
  {
    code: 'earlier_version',
    says: `as ${EARLIER_V2_VERSION}, which leaves the media type open`,
    advice: `Sign as ${V2_VERSION}: its fifth line is the header Content-Type as you send it, blank without it.`,
    sign: (request, secret) => hmac(earlierText(request), secret),
  },
  changed('no_body', 'over an empty body', 'Sign the SHA-256 of the body as you send it.', () => ({
    bodyDigest: hexDigest(''),
  })),
  changed('body_not_digested', 'over no body digest', 'Sign the SHA-256 of the body in hex.', () => ({
    bodyDigest: '',
  })),
  changed('milliseconds', 'over a timestamp in milliseconds', 'Timestamps are Unix seconds.', (request) => ({
    timestamp: `${request.timestamp}000`,
  })),
  {
    code: 'line_feed',
    says: 'over a text that ends with a line feed',
    advice: 'No line feed follows the digest of the body.',
    sign: (request, secret) => hmac(`${textToSign(request)}\n`, secret),
  },
  {
    code: 'without_version',
    says: 'over a text without its first line',
    advice: `The first line is ${V2_VERSION}.`,
    sign: (request, secret) => hmac(textToSign(request).replace(/^.*\n/, ''), secret),
  },
  {
    code: 'secret_as_bytes',
    says: 'under the bytes that the digits of the secret stand for',
    advice: 'Use the secret as text.',
    sign: (request, secret) => hmac(textToSign(request), Buffer.from(secret, 'hex')),
  },
  {
    code: 'no_hmac',
    says: 'by SHA-256 of the text and the secret',
    advice: 'Use HMAC-SHA256 under the secret.',
    sign: (request, secret) => hexDigest(textToSign(request) + secret),
  },
]

/** Finds what a v2 signature was made of, and what to change so that it is accepted. */
export function explainV2(v2: SentV2, secrets: readonly string[], now: Date): V2Finding {
  if (!isWellFormed(v2.request)) return MALFORMED
  if (secrets.some((secret) => isSignedV2(v2, secret)))
    return isInTime(v2, now) ? RIGHT : lateFinding(v2, now)
  const digits = hexOf(v2.signature)
  const known = [
    { ...DOCUMENTED, sign: (request: SignedRequest, secret: string) => hmac(textToSign(request), secret) },
    ...UNUSUAL_WAYS,
  ]
  const way = known.find(({ sign }) => secrets.some((secret) => sign(v2.request, secret) === digits))
  if (!way) return UNKNOWN
  return { code: `v2 ${way.code}`, says: `The signature was made ${way.says}.`, advice: [way.advice] }
}

/** The right signature, in another form than lower or upper case hex. */
const DOCUMENTED = { code: 'base64', says: 'in base64', advice: 'Send the signature in hex.' }

const hexOf = (signature: string): string =>
  /^[0-9a-f]{64}$/i.test(signature)
    ? signature.toLowerCase()
    : Buffer.from(signature, 'base64').toString('hex')

const MALFORMED: V2Finding = {
  code: 'v2 malformed',
  says: 'The timestamp or the nonce is malformed.',
  advice: ['Tollgate-Timestamp has Unix seconds.', 'Tollgate-Nonce has 16 to 64 letters, digits, - and _.'],
}

const RIGHT: V2Finding = {
  code: 'v2 right',
  says: 'The v2 signature is right.',
  advice: [
    'If it was refused, the key does not allow the request, or the request was sent before: use another nonce each time.',
  ],
}

const UNKNOWN: V2Finding = {
  code: 'v2 unknown',
  says: `The v2 signature was made in none of ${UNUSUAL_WAYS.length + 1} known ways.`,
  advice: [
    'Either the key is different or belongs to another account than u, or something on the way changed verb, path, query or body.',
  ],
}

function lateFinding({ request }: SentV2, now: Date): V2Finding {
  const seconds = Math.round(now.getTime() / 1000 - Number(request.timestamp))
  const distance = `${Math.abs(seconds)} seconds ${seconds > 0 ? 'ago' : 'ahead'}`
  return {
    code: 'v2 out_of_time',
    says: `The v2 signature is right, but its timestamp is ${distance}.`,
    advice: [`It is valid for ${V2_SECONDS} seconds: set the clock of the client.`],
  }
}
