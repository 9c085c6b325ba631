import { createHash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { isSameText } from '#lib/base/digest.ts'
import type { Settings } from '#lib/settings/settings.ts'

/** One of OWASP's recommended scrypt settings that fits a Lambda: 32 MB and about a third of a second. */
export const RECOMMENDED_COST = { N: 2 ** 15, r: 8, p: 3 }

/** The cost of new hashes. Only tests lower it (test/own-environment.ts). */
export const hashCost = { ...RECOMMENDED_COST }

const KEY_BYTES = 32
const SALT_BYTES = 16

type Cost = typeof RECOMMENDED_COST

/**
 * Returns `scrypt$N$r$p$salt$key`, with salt and key in base64. A trailing `$sha1` marks a wrapped legacy
 * hash: its key is derived from the SHA-1 hex of the password.
 */
export const hashPassword = (password: string): Promise<string> => newHash(password, false)

async function newHash(secret: string, ofLegacy: boolean): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return formatHash({ cost: hashCost, salt, key: await deriveKey(secret, salt, hashCost), ofLegacy })
}

/** `rehash` makes the hash to store, if the stored one has outdated parameters. */
export interface PasswordCheck {
  readonly matches: boolean
  readonly rehash?: () => Promise<string>
}

/**
 * Checks a password against a stored hash: a scrypt hash, or a legacy unsalted SHA-1 in hex. Without a hash
 * (an unknown name) nothing matches. Every case takes as long as one scrypt of the present parameters, so the
 * time does not tell them apart. A hash of a higher cost takes longer, until a login replaces it.
 */
export async function checkPassword(password: string, stored: string | undefined): Promise<PasswordCheck> {
  const ours = stored && parseHash(stored)
  if (ours) return checkScrypt(password, ours)
  const legacy = sha1(password)
  const rehashed = await newHash(legacy, true)
  const matches = stored !== undefined && isSameText(legacy, stored.toLowerCase())
  return matches ? { matches, rehash: async () => rehashed } : { matches }
}

/** Whether a stored hash equals the given one or wraps it. A login wraps a legacy hash. */
export async function isSameOrWrapped(given: string, stored: string): Promise<boolean> {
  if (given === stored) return true
  const ours = parseHash(stored)
  if (!ours?.ofLegacy) return false
  return timingSafeEqual(await deriveKey(given.toLowerCase(), ours.salt, ours.cost), ours.key)
}

/** In place of a hash: the account cannot log in until a password is set. */
export const NO_PASSWORD_HASH = 'none'

export const isPasswordHash = (text: string): boolean =>
  text === NO_PASSWORD_HASH || parseHash(text) !== undefined || /^[0-9a-f]{40}$/i.test(text)

/** The legacy hash of an empty password, with which anybody could log in. */
export const isHashOfNothing = (text: string): boolean => text.toLowerCase() === sha1('')

async function checkScrypt(
  password: string,
  { cost, salt, key, ofLegacy }: ScryptHash,
): Promise<PasswordCheck> {
  const secret = ofLegacy ? sha1(password) : password
  const matches = timingSafeEqual(await deriveKey(secret, salt, cost), key)
  const filling = fillingCost(cost, hashCost)
  if (filling) await deriveKey(secret, salt, filling)
  return matches && !isCurrent(cost) ? { matches, rehash: () => hashPassword(password) } : { matches }
}

/**
 * The cost of the further work that a check has to do to take as long as one of the whole cost. Work grows
 * with N, r and p. The same N takes the same memory: with a lower one the same work is done a fifth faster.
 */
export function fillingCost(spent: Cost, whole: Cost): Cost | undefined {
  const { N } = whole
  const r = Math.max(1, whole.r / 4)
  const p = Math.round((workOf(whole) - workOf(spent)) / (N * r))
  return p > 0 ? { N, r, p } : undefined
}

const workOf = ({ N, r, p }: Cost): number => N * r * p

const isCurrent = ({ N, r, p }: Cost): boolean => N === hashCost.N && r === hashCost.r && p === hashCost.p

const deriveKey = (password: string, salt: Buffer, cost: Cost): Promise<Buffer> => {
  const options = { ...cost, maxmem: 256 * cost.r * (cost.N + cost.p + 2) }
  return promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)(password, salt, KEY_BYTES, options)
}

interface ScryptHash {
  readonly cost: Cost
  readonly salt: Buffer
  readonly key: Buffer
  readonly ofLegacy: boolean
}

const formatHash = ({ cost: { N, r, p }, salt, key, ofLegacy }: ScryptHash): string =>
  ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64'), ...(ofLegacy ? ['sha1'] : [])].join(
    '$',
  )

const HASH = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]{44})(\$sha1)?$/

/** Limits the parameters to valid ones (N is a power of two) that a Lambda has the memory for. */
const isAffordable = ({ N, r, p }: Cost): boolean =>
  Number.isInteger(Math.log2(N)) && N > 1 && N <= 2 ** 17 && r > 0 && r <= 16 && p > 0 && p <= 16

function parseHash(text: string): ScryptHash | undefined {
  const [, N, r, p, salt, key, ofLegacy] = HASH.exec(text) ?? []
  if (salt === undefined || key === undefined) return undefined
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  if (!isAffordable(cost)) return undefined
  return {
    cost,
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
    ofLegacy: ofLegacy !== undefined,
  }
}

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')

type PasswordSettings = Pick<Settings, 'Default_User_Password_length' | 'Use_strong_passwords'>

const SHORTEST_PASSWORD = 6

/** The fewest characters of a password that a method of the API takes. */
export const shortestPassword = ({
  Default_User_Password_length,
}: Pick<PasswordSettings, 'Default_User_Password_length'>): number =>
  Default_User_Password_length ?? SHORTEST_PASSWORD

/** Whether a password lacks a digit, a capital or a small letter, and the settings ask for strong ones. */
export const isWeakPassword = (
  { Use_strong_passwords }: Pick<PasswordSettings, 'Use_strong_passwords'>,
  password: string,
): boolean => Use_strong_passwords && !/^(?=.*\d)(?=.*\p{Lu})(?=.*\p{Ll})/su.test(password)

const SHORTEST_CHOSEN_PASSWORD = 8

/** The fewest characters outside the API. */
export const leastOfPassword = (settings: Pick<PasswordSettings, 'Default_User_Password_length'>): number =>
  Math.max(SHORTEST_CHOSEN_PASSWORD, shortestPassword(settings))

/**
 * The lack of a new password that is set in the page, at the terminal, by a file or by the link of a mail.
 * The methods of the API have their own rule (wire.md user_register). A hash is no new password.
 */
export function lackOfPassword(settings: PasswordSettings, password: string): string | undefined {
  const least = leastOfPassword(settings)
  if (password.length < least) return `at least ${least} characters`
  return isWeakPassword(settings, password) ? 'a digit, a capital letter and a small letter' : undefined
}
