import { createHook } from 'node:async_hooks'
import { createHash, scryptSync } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import {
  checkPassword,
  fillingCost,
  hashCost,
  hashPassword,
  isHashOfNothing,
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

test('new hashes have the recommended cost, unless a test has lowered it', async () => {
  const anew = './password.ts?anew'
  const { hashCost: cost }: typeof import('./password.ts') = await import(anew)

  expect(cost).toEqual(RECOMMENDED_COST)
})

test('the same password never has the same hash', async () => {
  expect(await hashPassword('x')).not.toBe(await hashPassword('x'))
})

test('a legacy SHA-1 hash matches in upper and lower case, and a new hash replaces it', async () => {
  const { matches, rehash } = await checkPassword('old', sha1('old').toUpperCase())

  expect(matches).toBe(true)
  expect(await checkPassword('old', await rehash?.())).toEqual({ matches: true })
  expect(await checkPassword('new', sha1('old'))).toEqual({ matches: false })
})

test('a hash recognises the legacy hash that it wraps', async () => {
  const { rehash } = await checkPassword('old', sha1('old'))
  const rehashed = (await rehash?.()) ?? ''

  expect(rehashed).toMatch(/^scrypt\$16\$8\$1\$.*\$sha1$/)
  expect(await isSameOrWrapped(sha1('old').toUpperCase(), rehashed)).toBe(true)
  expect(await isSameOrWrapped(sha1('new'), rehashed)).toBe(false)
  expect(await isSameOrWrapped(sha1('old'), await hashPassword(sha1('old')))).toBe(false)
})

test('a hash that wraps nothing is the same only letter by letter', async () => {
  expect(await isSameOrWrapped('plain', 'plain')).toBe(true)
  expect(await isSameOrWrapped('plain', 'other')).toBe(false)
})

test('nothing matches a missing or unreadable hash', async () => {
  expect(await checkPassword('', undefined)).toEqual({ matches: false })
  expect(await checkPassword('', '')).toEqual({ matches: false })
  expect(await checkPassword('x', 'scrypt$1$2')).toEqual({ matches: false })
})

test('a hash with older parameters matches, and a new hash replaces it', async () => {
  const { matches, rehash } = await checkPassword('older', OLDER_HASH)
  const rehashed = await rehash?.()

  expect(matches).toBe(true)
  expect(rehashed).toMatch(/^scrypt\$16\$8\$1\$/)
  expect(await checkPassword('older', rehashed)).toEqual({ matches: true })
})

test.each([
  { N: 2, r: 1, p: 1 },
  { N: 2, r: 1, p: 16 },
  { N: 32, r: 8, p: 1 },
])('the key is that of scrypt with the parameters of the hash: %j', async (cost) => {
  const salt = Buffer.from('a fictional salt')
  const key = scryptSync('secret', salt, 32, cost).toString('base64')
  const hash = ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64'), key].join('$')

  expect(await checkPassword('secret', hash)).toMatchObject({ matches: true })
})

test.each([{ N: 32 }, { r: 4 }, { p: 2 }])('a hash with another %j is replaced', async (other) => {
  const outdated = { ...testCost, ...other }
  Object.assign(hashCost, outdated)
  const hash = await hashPassword('x')
  Object.assign(hashCost, testCost)

  expect(await checkPassword('x', hash)).toEqual({ matches: true, rehash: expect.any(Function) })
})

/** The hash with other parameters. */
const withCost = (N: number, r: number, p: number): string =>
  OLDER_HASH.replace('$16384$8$1$', `$${N}$${r}$${p}$`)

test.each([
  [sha1('x'), true],
  [`${sha1('x')}0`, false],
  [`0${sha1('x')}`, false],
  [`${OLDER_HASH}$sha1`, true],
  [`${OLDER_HASH}$sha2`, false],
  [`x${OLDER_HASH}`, false],
  [withCost(1, 8, 1), false],
  [withCost(2, 8, 1), true],
  [withCost(2 ** 17, 8, 1), true],
  [withCost(2 ** 18, 8, 1), false],
  [withCost(2, 0, 1), false],
  [withCost(2, 16, 1), true],
  [withCost(2, 17, 1), false],
  [withCost(2, 8, 0), false],
  [withCost(2, 8, 16), true],
  [withCost(2, 8, 17), false],
  [OLDER_HASH, true],
  ['none', true],
  ['plain', false],
  [OLDER_HASH.replace('16384', '16385'), false],
  [OLDER_HASH.replace('16384', '1048576'), false],
  ['', false],
])('%s is a password hash: %j', (text, expected) => {
  expect(isPasswordHash(text)).toBe(expected)
})

test.each([
  ['da39a3ee5e6b4b0d3255bfef95601890afd80709', true],
  ['DA39A3EE5E6B4B0D3255BFEF95601890AFD80709', true],
  [sha1('x'), false],
  ['', false],
])('%s is the legacy hash of an empty password: %s', (text, expected) => {
  expect(isHashOfNothing(text)).toBe(expected)
})

const workOf = ({ N, r, p }: typeof RECOMMENDED_COST) => N * r * p

test.each([
  { N: 2, r: 1, p: 1 },
  { N: 2 ** 13, r: 8, p: 1 },
  { N: 2 ** 14, r: 8, p: 1 },
  { N: 2 ** 14, r: 8, p: 5 },
  { N: 2 ** 15, r: 8, p: 2 },
  { N: 2 ** 16, r: 8, p: 1 },
])('a check of a hash of %j does as much work as one of the recommended cost', (cost) => {
  const filling = fillingCost(cost, RECOMMENDED_COST)
  const whole = workOf(RECOMMENDED_COST)

  expect(Math.abs(workOf(cost) + (filling ? workOf(filling) : 0) - whole) / whole).toBeLessThan(0.05)
})

test.each([RECOMMENDED_COST, { N: 2 ** 17, r: 8, p: 1 }])('a check of %j has no work left to do', (cost) => {
  expect(fillingCost(cost, RECOMMENDED_COST)).toBeUndefined()
})

/** How many derivations node:crypto runs while `work` does. */
async function derivationsIn(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'SCRYPTREQUEST') count += 1
    },
  }).enable()
  try {
    await work()
  } finally {
    hook.disable()
  }
  return count
}

test('a wrong password for a cheaper hash does the spared work, as for an unknown name', async () => {
  Object.assign(hashCost, { N: 2 ** 14, r: 8, p: 1 })
  const [, , , , salt, key] = OLDER_HASH.split('$')
  const cheap = ['scrypt', 2 ** 11, 8, 1, salt, key].join('$')

  expect(await derivationsIn(() => checkPassword('wrong', undefined))).toBe(1)
  expect(await derivationsIn(() => checkPassword('wrong', OLDER_HASH))).toBe(1)
  expect(await derivationsIn(() => checkPassword('wrong', cheap))).toBe(2)
})
