import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { findFunctionFile } from '#tools/contracts/function-files.ts'
import { explainHash } from './explain-hash.ts'
import { createHashDescriber, findingCode } from './refused-hash.ts'

const KEY = 'the-key-of-these-tests'

const digest = (text: string, algorithm = 'sha1') => createHash(algorithm).update(text).digest('hex')

const { method } = await findFunctionFile('exchange_rate_update')

const call = (hash: string, more: Readonly<Record<string, string>> = {}) => ({
  contract: method,
  sent: { u: 'admin', rate: ' 45.5', currency: 'amd', ...more, hash },
  key: KEY,
})

test.each([
  ['another order', digest(` 45.5amd${KEY}`), 'rate+currency+key'],
  ['u signed as well', digest(`adminamd 45.5${KEY}`), 'u+currency+rate+key'],
  ['values trimmed', digest(`amd45.5${KEY}`), 'currency+rate+key trimmed'],
  ['the key in front', digest(`${KEY}amd 45.5`), 'currency+rate+key in_front'],
  ['another algorithm', digest(`amd 45.5${KEY}`, 'sha256'), 'currency+rate+key sha256'],
  ['base64', Buffer.from(digest(`amd 45.5${KEY}`), 'hex').toString('base64'), 'currency+rate+key base64'],
  ['the key alone', digest(KEY), 'key'],
  ['no hash', ' ', 'none_sent'],
  ['a word', 'secret', 'not_a_hash'],
  ['the value of a parameter', 'amd', 'value_of currency'],
  ['+ for a blank', digest(`amd+45.5${KEY}`), 'currency+rate+key plus_unencoded'],
  ['another key', digest('amd 45.5another'), 'unknown'],
])('%s', (_case, hash, code) => {
  expect(findingCode(explainHash(call(hash)), call(hash))).toBe(code)
})

test('the uniquehash of the account, and the value of a parameter that the method does not have', () => {
  const constant = '3f5c08a41f5ba3c4612abdbdb4d3077a'
  const sent = { ...call(constant), uniquehash: constant }
  const other = call(constant, { mySecret: constant })

  expect(findingCode(explainHash(sent), sent)).toBe('uniquehash')
  expect(findingCode(explainHash(other), other)).toBe('value_of ?')
})

test('a parameter that the method does not have is not named', () => {
  const sent = call(digest(` 45.5amdwhat${KEY}`), { mySecret: 'what' })

  expect(findingCode(explainHash(sent), sent)).toBe('rate+currency+?+key')
})

test('ten refused calls a minute are described, and further ones only after the minute is over', () => {
  const describeHash = createHashDescriber()
  const at = (second: number) => describeHash(call(digest(KEY)), new Date(Date.UTC(2026, 0, 1, 0, 0, second)))

  expect(Array.from({ length: 12 }, (_, second) => at(second))).toEqual([
    ...Array.from({ length: 10 }, () => 'key'),
    undefined,
    undefined,
  ])
  expect([at(59), at(60), at(61), at(61)]).toEqual([undefined, 'key', 'key', undefined])
})
