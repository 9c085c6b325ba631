import { createHash, timingSafeEqual } from 'node:crypto'
import { secondsOf } from '#lib/domain/calendar.ts'
import {
  countFailure,
  failureCounter,
  findIntakeAndFailures,
  type Intake,
} from '#lib/store/installation/intake.ts'
import type { Store } from '#lib/store/store.ts'

/** What HTTP basic authentication (RFC 7617) says. */
export interface Credentials {
  readonly name: string
  readonly secret: string
}

/** The credentials in an Authorization header; `undefined` where it has none. */
export function credentialsIn(header: string): Credentials | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header) ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { name: text.slice(0, colon), secret: text.slice(colon + 1) }
}

export const digestOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** What a secret is compared with where there is no intake of its name: the digest of no text that is known. */
const NOBODYS = '0'.repeat(64)

/** After so many wrong secrets within a minute, of one name from one address, no further one is looked at. */
const MOST_FAILURES = 10

/** Who knocks, from where, and when. */
export interface Knock {
  readonly credentials: Credentials
  readonly address: string
  readonly now: Date
}

/**
 * The intake whose secret was given; else why it is not let in. An unknown name costs what a wrong secret costs: one read,
 * one comparison, one count.
 */
export async function admitIntake(
  store: Store,
  { credentials: { name, secret }, address, now }: Knock,
): Promise<Intake | 'unauthorized' | 'too_many'> {
  const counter = failureCounter(name, address, secondsOf(now))
  const { intake, failures } = await findIntakeAndFailures(store, name, counter)
  if (failures >= MOST_FAILURES) return 'too_many'
  const isRight = isSameDigest(digestOfSecret(secret), intake?.secret_sha256 ?? NOBODYS)
  if (intake && isRight) return intake
  await countFailure(store, counter)
  return 'unauthorized'
}

const isSameDigest = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'))
