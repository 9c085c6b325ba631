import { createHash } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import {
  checkPassword,
  hashCost,
  hashPassword,
  isPasswordHash,
  isSameOrWrapped,
  RECOMMENDED_COST,
} from './password.ts'

const testCost = { ...hashCost }
afterEach(() => Object.assign(hashCost, testCost))

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex')

/** A hash with the older parameters N=2^14, r=8, p=1. */
const OLDER_HASH =
  'scrypt$16384$8$1$AAAAAAAAAAAAAAAAAAAAAA==$' + 'RKk8WH4upqHzp7PAAJukSdUdAm9uZVaG2KWcCGTIqEE='

test('a password matches its own hash only, which has the recommended cost', async () => {
  Object.assign(hashCost, RECOMMENDED_COST)
  const hash = await hashPassword('correct horse')

  expect(hash).toMatch(/^scrypt\$32768\$8\$3\$[A-Za-z0-9+/=]{24}\$[A-Za-z0-9+/=]{44}$/)
  expect(await checkPassword('correct horse', hash)).toEqual({ matches: true })
  expect(await checkPassword('correct horsf', hash)).toEqual({ matches: false })
})

test('the same password never has the same hash', async () => {
  expect(await hashPassword('x')).not.toBe(await hashPassword('x'))
})

test('a legacy SHA-1 hash matches in upper and lower case, and a new hash replaces it', async () => {
  const { matches, rehashed } = await checkPassword('old', sha1('old').toUpperCase())

  expect(matches).toBe(true)
  expect(await checkPassword('old', rehashed)).toEqual({ matches: true })
  expect(await checkPassword('new', sha1('old'))).toEqual({ matches: false })
})

test('a hash recognises the legacy hash that it wraps', async () => {
  const { rehashed = '' } = await checkPassword('old', sha1('old'))

  expect(rehashed).toMatch(/^scrypt\$16\$8\$1\$.*\$sha1$/)
  expect(await isSameOrWrapped(sha1('old').toUpperCase(), rehashed)).toBe(true)
  expect(await isSameOrWrapped(sha1('new'), rehashed)).toBe(false)
  expect(await isSameOrWrapped(sha1('old'), await hashPassword('old'))).toBe(false)
})

test('nothing matches a missing or unreadable hash', async () => {
  expect(await checkPassword('', undefined)).toEqual({ matches: false })
  expect(await checkPassword('', '')).toEqual({ matches: false })
  expect(await checkPassword('x', 'scrypt$1$2')).toEqual({ matches: false })
})

test('a hash with older parameters matches, and a new hash replaces it', async () => {
  const { matches, rehashed } = await checkPassword('older', OLDER_HASH)

  expect(matches).toBe(true)
  expect(rehashed).toMatch(/^scrypt\$16\$8\$1\$/)
  expect(await checkPassword('older', rehashed)).toEqual({ matches: true })
})

test.each([
  [sha1('x'), true],
  [OLDER_HASH, true],
  ['plain', false],
  [OLDER_HASH.replace('16384', '16385'), false],
  [OLDER_HASH.replace('16384', '1048576'), false],
  ['', false],
])('%s is a password hash: %j', (text, expected) => {
  expect(isPasswordHash(text)).toBe(expected)
})
