import { expect, test } from 'vitest'
import { defineFields, flagOf, matching, NO_SUCH_ID, readCount, wordAmong } from './fields.ts'

const fields = defineFields({
  pin: { read: (text) => matching(/^\d*$/, text), refusal: 'Pin must be numeric' },
  timeout: { read: (text) => readCount(text), column: 'max_timeout' },
  hidden: { read: flagOf },
})

test('a refusal has its own message or names the field', () => {
  expect(fields.errors()).toEqual({
    pin: 'Pin must be numeric',
    timeout: 'timeout is invalid',
    hidden: 'hidden is invalid',
  })
  expect(fields.errors('hidden')).toEqual({ hidden: 'hidden is invalid' })
})

test('`wrong` returns the first invalid field among the sent and selected ones', () => {
  expect(fields.wrong({ hidden: 'x', timeout: 'y', pin: '1' })).toBe('timeout')
  expect(fields.wrong({ hidden: 'x', timeout: 'y' }, ['pin', 'hidden'])).toBe('hidden')
  expect(fields.wrong({ pin: undefined, timeout: 5, comment: 'z' })).toBeUndefined()
})

test("sent fields become columns under the columns' names", () => {
  expect(fields.columns({ pin: ' 12 ', timeout: '', hidden: '0', comment: 'z' })).toEqual({
    pin: '12',
    max_timeout: 0,
    hidden: false,
  })
  expect(fields.columns({ pin: '1', hidden: '1' }, ['hidden'])).toEqual({ hidden: true })
})

test.each([
  ['', 4],
  [' 07 ', 7],
  ['123', 123],
  ['1234', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['1e2', undefined],
])('as a number of at most three digits, 4 when blank, "%s" is %s', (text, expected) => {
  expect(readCount(text, 4, 3)).toBe(expected)
})

test.each([
  [' dst ', 'src', 'dst'],
  ['', 'src', 'src'],
  ['', undefined, undefined],
  ['DST', 'src', undefined],
] as const)('of the words src and dst, "%s" with %s for blank is %s', (text, blank, expected) => {
  expect(wordAmong(['src', 'dst'], text, blank)).toBe(expected)
})

test('only 1 and 0 are flags', () => {
  expect(['1', ' 0 ', '', 'yes'].map(flagOf)).toEqual([true, false, undefined, undefined])
})

test('no object has the id of ill-typed ones: it is below 0', () => {
  expect(NO_SUCH_ID).toBeLessThan(0)
})
