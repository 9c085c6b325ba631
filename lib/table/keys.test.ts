import { expect, test } from 'vitest'
import { inList, isUnder, keyForm, keyReader, listNames, nameOfList } from './keys.ts'

const ruleKey = keyForm('LOCATION#<location_id>', 'RULE#<id>')
const extensionKey = keyForm('EXTFREE', '<place>')

test('a key is the text of its form with values; numbers in sort keys are padded', () => {
  expect(ruleKey(5, 12)).toEqual({ PK: 'LOCATION#5', SK: 'RULE#000000000000012' })
  expect(ruleKey.of({ id: 12, location_id: 5, name: 'x' })).toEqual(ruleKey(5, 12))
  expect(ruleKey.names).toEqual(['location_id', 'id'])
})

test('a key reads only the values it names: a list of ids mapped to keys gives all to each', () => {
  const unread = { toString: expect.unreachable }

  expect(Reflect.apply(keyForm('ACCOUNT#<id>', 'ACCOUNT'), undefined, ['a', 0, unread])).toEqual({
    PK: 'ACCOUNT#a',
    SK: 'ACCOUNT',
  })
})

test('a range has the partition with its values, and the text before the first value of the sort key', () => {
  expect(ruleKey.range(5)).toEqual({ partition: 'LOCATION#5', prefix: 'RULE#' })
  expect(extensionKey.range()).toEqual({ partition: 'EXTFREE', prefix: '' })
  expect(ruleKey.partition(5)).toBe('LOCATION#5')
})

test('a range begins with the values that it gets of the sort key', () => {
  const pageKey = keyForm('INVOICE#<id>', 'PRODUCTS#<version>#<page>')

  expect(pageKey.range(5)).toEqual({ partition: 'INVOICE#5', prefix: 'PRODUCTS#' })
  expect(pageKey.range(5, 'v2')).toEqual({ partition: 'INVOICE#5', prefix: 'PRODUCTS#v2#' })
  expect(pageKey.range(5, 'v2', 7)).toEqual({ partition: 'INVOICE#5', prefix: 'PRODUCTS#v2#000000000000007' })
})

test('a key of a form is read back into its values', () => {
  expect(keyReader(ruleKey)(ruleKey(5, 12))).toEqual({ location_id: '5', id: '000000000000012' })
  expect(keyReader(ruleKey)({ PK: 'LOCATION#5', SK: 'LOCATION' })).toBeUndefined()
})

test('a list is named by its scope, and its name stands in the keys of its items', () => {
  const names = listNames('STATS')
  const dayKey = keyForm('<list>#<shard>', 'DAY#<day>')
  const ofUsers = inList(dayKey, names.user.text)
  const key = dayKey(nameOfList(names, { user: 5 }), 1, '2026-03-10')

  expect(key).toEqual({ PK: 'STATS#USER#5#1', SK: 'DAY#2026-03-10' })
  expect(keyReader(dayKey)(key)).toEqual({ list: 'STATS#USER#5', shard: '1', day: '2026-03-10' })
  expect(keyReader(ofUsers)(key)).toEqual({ id: '5', shard: '1', day: '2026-03-10' })
  expect(isUnder(ofUsers)(dayKey(nameOfList(names, { owner: 5 }), 1, '2026-03-10'))).toBe(false)
  expect(nameOfList(names, 'everyone')).toBe('STATS#EVERYONE')
})

test.each([
  ['LOCATION#5', 'RULE#1', true],
  ['LOCATION#5', 'LENGTHS#1', false],
  ['LOCATIONS#5', 'RULE#1', false],
  ['LOCATION#5', '', false],
])('whether %s / %s is the key of a rule: %s', (PK, SK, is) => {
  expect(isUnder(ruleKey)({ PK, SK })).toBe(is)
})

test('the last value of a key may contain the separator', () => {
  expect(
    isUnder(keyForm('CALL#<uniqueid>', 'CALL#<source>#<part>'))({ PK: 'CALL#a#b', SK: 'CALL#fs#1#2' }),
  ).toBe(true)
})
