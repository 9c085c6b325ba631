import { expect, test } from 'vitest'
import { secretSearch } from '#test/evidence/secret-search.ts'

const search = secretSearch(['correct horse', 'a"b\\c\nd', 'a471', 'bobs-secret-1', 'bobs-secret-2', 'abc'])

test.each([
  ['planted in a field', { error: 'wrong password: correct horse' }, ['correct horse']],
  ['deep inside', { error: { cause: { message: 'bobs-secret-2' } } }, ['bobs-secret-2']],
  ['as the name of a field', { 'bobs-secret-1': 1 }, ['bobs-secret-1']],
  ['with characters that JSON escapes', { message: 'a"b\\c\nd' }, ['a"b\\c\nd']],
  ['escaped as in a URL', { path: '/?p=correct%20horse&x=1' }, ['correct%20horse']],
  [
    'twice in a line, among others',
    ['bobs-secret-1 bobs-secret-1', 'correct horse'],
    ['bobs-secret-1', 'correct horse'],
  ],
  ['a short one by itself', { message: 'the word (a471) is wrong' }, ['a471']],
  ['a short one that is all there is', { word: 'a471' }, ['a471']],
])('a secret is found: %s', (_case, line, secrets) => {
  expect(search(JSON.stringify(line)).sort()).toEqual(secrets)
})

test('a secret is found in a line that is not JSON', () => {
  expect(search('Error: correct horse')).toEqual(['correct horse'])
})

test.each([
  ['a short one inside a longer word', { message: 'device 1a4710' }],
  ['a line of a source', { stack: 'Error: no\n    at a471 (file.ts:4711:15)' }],
  ['a part of a random id', { request: 'dae8f97d-a471-42b1-8517-fd1119053e98' }],
  ['what is too short to be told from other text', { message: 'abc' }],
  ['a beginning alone', { message: 'bobs-secret-3' }],
])('nothing is found in %s', (_case, line) => {
  expect(search(JSON.stringify(line))).toEqual([])
})

test('a hundred thousand lines are searched for ten thousand secrets in one pass each', () => {
  const secrets = Array.from({ length: 10_000 }, (_, number) => `secret of somebody ${number}`)
  const searchAll = secretSearch(secrets)
  const line = JSON.stringify({ method: 'devices_get', outcome: 'refused', refusal: 'Incorrect hash' })
  const found = Array.from({ length: 100_000 }, () => searchAll(line)).flat()

  expect(found).toEqual([])
  expect(searchAll(JSON.stringify({ refusal: secrets[9_999] }))).toContain('secret of somebody 9999')
})
