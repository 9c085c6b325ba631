import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** OWASP's scrypt step that fits a Lambda: 32 MB and about a third of a second. */
const COST = { N: 2 ** 15, r: 8, p: 3 }

const KEY_BYTES = 32
const SALT_BYTES = 16

type Cost = typeof COST

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** `scrypt$N$r$p$salt$key`, salt and key in base64: the parameters stay with the hash they made. */
export async function hashPassword(password: string, salt = randomBytes(SALT_BYTES)): Promise<string> {
  return formatHash(COST, salt, await deriveKey(password, salt, COST))
}

/** A checked password; `rehashed` is the hash to keep from now on, when the old one is not as it would be made today. */
export interface PasswordCheck {
  readonly matches: boolean
  readonly rehashed?: string
}

/**
 * Checks a password against a kept hash: one of ours, or a legacy unsalted SHA-1 in hex. Without a hash (an unknown
 * name) nothing matches. Costs one scrypt in every case, so that time does not tell these apart; a match under old
 * parameters costs a second one, for the new hash.
 */
export async function checkPassword(password: string, kept: string | undefined): Promise<PasswordCheck> {
  const ours = kept === undefined ? undefined : parseHash(kept)
  if (ours) return checkScrypt(password, ours)
  const rehashed = await hashPassword(password)
  const matches = kept !== undefined && isSameText(sha1(password), kept.toLowerCase())
  return matches ? { matches, rehashed } : { matches }
}

export const isPasswordHash = (text: string): boolean =>
  parseHash(text) !== undefined || /^[0-9a-f]{40}$/i.test(text)

async function checkScrypt(password: string, { cost, salt, key }: ScryptHash): Promise<PasswordCheck> {
  const matches = timingSafeEqual(await deriveKey(password, salt, cost), key)
  if (!matches || isToday(cost)) return { matches }
  return { matches, rehashed: await hashPassword(password) }
}

const isToday = ({ N, r, p }: Cost): boolean => N === COST.N && r === COST.r && p === COST.p

const deriveKey = (password: string, salt: Buffer, cost: Cost): Promise<Buffer> =>
  derive(password, salt, KEY_BYTES, { ...cost, maxmem: 256 * cost.N * cost.r })

interface ScryptHash {
  readonly cost: Cost
  readonly salt: Buffer
  readonly key: Buffer
}

const formatHash = ({ N, r, p }: Cost, salt: Buffer, key: Buffer): string =>
  ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$')

const HASH = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]{44})$/

function parseHash(text: string): ScryptHash | undefined {
  const [, N, r, p, salt, key] = HASH.exec(text) ?? []
  if (salt === undefined || key === undefined) return undefined
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  return { cost, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
}

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')

const isSameText = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
