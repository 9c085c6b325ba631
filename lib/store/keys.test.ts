import { expect, test } from 'vitest'
import { isUnder, keyForm } from './keys.ts'

const ruleKey = keyForm('LOCATION#<location_id>', 'RULE#<id>')
const extensionKey = keyForm('EXTFREE', '<place>')

test('a key is the text of its form with values; numbers in sort keys are padded', () => {
  expect(ruleKey(5, 12)).toEqual({ PK: 'LOCATION#5', SK: 'RULE#000000000000012' })
  expect(ruleKey.of({ id: 12, location_id: 5, name: 'x' })).toEqual(ruleKey(5, 12))
  expect(ruleKey.names).toEqual(['location_id', 'id'])
})

test('a range has the partition with its values, and the text before the first value of the sort key', () => {
  expect(ruleKey.range(5)).toEqual({ partition: 'LOCATION#5', prefix: 'RULE#' })
  expect(extensionKey.range()).toEqual({ partition: 'EXTFREE', prefix: '' })
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
