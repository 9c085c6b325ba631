import { createHash, timingSafeEqual } from 'node:crypto'
import { secondsOf } from '#lib/domain/calendar.ts'
import { countWrongSecret, findIntake, type Intake } from '#lib/store/installation/intake.ts'
import type { Store } from '#lib/store/store.ts'

/** The name and the secret of HTTP basic authentication (RFC 7617). */
export interface Credentials {
  readonly name: string
  readonly secret: string
}

/** The credentials in an Authorization header; `undefined` if it has none. */
export function credentialsIn(header: string): Credentials | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header) ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { name: text.slice(0, colon), secret: text.slice(colon + 1) }
}

export const digestOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** The digest of no known secret: an unknown name is compared with it. */
const DIGEST_OF_NO_SECRET = '0'.repeat(64)

/**
 * Returns the intake whose secret was given, otherwise the reason why it is refused. A right secret costs one read and is
 * always admitted: a misconfigured neighbour behind the same address blocks nobody. A wrong secret is counted before it is
 * answered. An unknown name costs the same as a wrong secret: one read, one comparison, one update.
 */
export async function admitIntake(
  store: Store,
  { name, secret }: Credentials,
  address: string,
  now: Date,
): Promise<Intake | 'unauthorized' | 'too_many'> {
  const intake = await findIntake(store, name)
  const isRight = isSameDigest(digestOfSecret(secret), intake?.secret_sha256 ?? DIGEST_OF_NO_SECRET)
  if (intake && isRight) return intake
  const isCounted = await countWrongSecret(store, name, address, secondsOf(now))
  return isCounted ? 'unauthorized' : 'too_many'
}

const isSameDigest = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'))
