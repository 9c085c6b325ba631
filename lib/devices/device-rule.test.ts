import { expect, test } from 'vitest'
import { deviceRuleFields, readNumberLengths } from './device-rule.ts'

test('cut takes digits, add also *, # and +, and a blank type is dst', () => {
  expect(deviceRuleFields.columns({ cut: ' 00 ', add: ' *#+0 ', pr_type: '' })).toEqual({
    cut: '00',
    add: '*#+0',
    pr_type: 'dst',
  })
  expect(deviceRuleFields.columns({ cut: '', add: '', pr_type: 'src' })).toEqual({
    cut: '',
    add: '',
    pr_type: 'src',
  })
})

test.each([
  ['cut', '1a'],
  ['cut', 'a1'],
  ['cut', '*1'],
  ['add', '1a'],
  ['add', 'a1'],
  ['pr_type', 'both'],
])('%s is wrong as %j', (name, text) => {
  expect(deviceRuleFields.wrong({ [name]: text })).toBe(name)
  expect(deviceRuleFields.errors()).toHaveProperty(name, `${name} is invalid`)
})

test('the fields are refused in the order cut, add, pr_type', () => {
  expect(deviceRuleFields.wrong({ pr_type: 'x', add: 'x', cut: 'x' })).toBe('cut')
  expect(deviceRuleFields.wrong({ pr_type: 'x', add: 'x' })).toBe('add')
})

test.each([
  [undefined, undefined, { minlen: 1, maxlen: 100 }],
  ['', '', { minlen: 1, maxlen: 100 }],
  ['7', '7', { minlen: 7, maxlen: 7 }],
  ['8', '7', undefined],
  ['101', undefined, undefined],
  ['x', '7', undefined],
  ['7', 'x', undefined],
])('the lengths from %j to %j', (minlen, maxlen, lengths) => {
  expect(readNumberLengths({ minlen, maxlen })).toEqual(lengths)
})
