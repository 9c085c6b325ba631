import { Buffer } from 'node:buffer'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { callerLimit } from '#lib/api/caller-limit.ts'
import { headerOf, RETRY_IN_A_MINUTE } from '#lib/api/headers.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { hexDigest, isSameText } from '#lib/base/digest.ts'
import { countWrongSecret, findIntake, type Intake, intakeKeys } from '#lib/settings/intake.ts'
import type { Key } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

/** HTTP basic credentials (RFC 7617) of an Authorization header; `undefined` without them. */
function credentialsIn(header: string): { readonly name: string; readonly secret: string } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header) ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { name: text.slice(0, colon), secret: text.slice(colon + 1) }
}

/** The key of the intake that a request names, for a request that reads further items. */
export function keysOfIntake(event: APIGatewayProxyEvent): Key[] {
  const credentials = credentialsIn(headerOf(event, 'authorization'))
  return credentials ? [intakeKeys.item(credentials.name)] : []
}

/** Whether the sender of a request may send one more: the name that it gives, and its address. */
export function senderLimit(): (event: APIGatewayProxyEvent, now: Date) => boolean {
  const isWithinLimit = callerLimit()
  return (event, now) => {
    const { name = '' } = credentialsIn(headerOf(event, 'authorization')) ?? {}
    return isWithinLimit(name, event.requestContext.identity.sourceIp, now)
  }
}

/** An unknown name is compared with this digest, which no secret has. */
const DIGEST_OF_NO_SECRET = '0'.repeat(64)

/**
 * Returns the intake if the secret is right, otherwise why it is refused. A right secret costs one read and
 * is always admitted, even with a misconfigured neighbour on its address. A wrong one is counted before the
 * answer. An unknown name costs the same as a wrong secret: one read, one comparison, one update.
 */
export async function admitIntake(
  event: APIGatewayProxyEvent,
  store: Store,
  now: Date,
): Promise<Intake | 'unauthorized' | 'too_many'> {
  const credentials = credentialsIn(headerOf(event, 'authorization'))
  if (!credentials) return 'unauthorized'
  const { name, secret } = credentials
  const intake = await findIntake(store, name)
  const isRight = isSameText(hexDigest(secret), intake?.secret_sha256 ?? DIGEST_OF_NO_SECRET)
  if (intake && isRight) return intake
  const address = event.requestContext.identity.sourceIp
  const isCounted = await countWrongSecret(store, name, address, secondsOf(now))
  return isCounted ? 'unauthorized' : 'too_many'
}

/** Compressed bytes stored as text cannot be mediated later: the switch keeps the document. */
export const isCompressed = (event: APIGatewayProxyEvent): boolean =>
  !['', 'identity'].includes(headerOf(event, 'content-encoding').toLowerCase())

/** The answer to a refused request of a switch: status, text and headers. */
export interface IntakeRefusal {
  readonly status: number
  readonly words?: string
  readonly headers?: Readonly<Record<string, string>>
}

export const INTAKE_REFUSALS = {
  unauthorized: {
    status: 401,
    words: 'Unauthorized',
    headers: { 'WWW-Authenticate': 'Basic realm="intake", charset="UTF-8"' },
  },
  wrong_verb: { status: 405, words: 'Method not allowed', headers: { Allow: 'POST' } },
  compressed: { status: 415, words: 'Compressed body: send it without Content-Encoding' },
  packed: { status: 415, words: 'Packed body (gzip, zip, a workbook): send the CDRs as text' },
  too_many: { status: 429, words: 'Too many requests', headers: RETRY_IN_A_MINUTE },
  over_limit: { status: 429, words: 'Too many requests', headers: RETRY_IN_A_MINUTE },
} as const satisfies Readonly<Record<string, IntakeRefusal>>
