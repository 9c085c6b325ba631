import fc from 'fast-check'
import { expect, test } from 'vitest'
import { add, asStored, divide, fixed, isMoney, moneyOf, multiply, round, subtract } from './money.ts'

test.each([
  ['half goes away from zero', fixed('0.005', 2), '0.01'],
  ['also below zero', fixed('-0.005', 2), '-0.01'],
  ['just under a half does not', fixed('0.00499999999999999999999', 2), '0.00'],
  ['nothing is left of a sign', fixed('-0.001', 2), '0.00'],
  ['decimals are filled up', fixed('10', 4), '10.0000'],
  ['a tiny amount keeps its digits', asStored('0.0000001'), '0.0000001'],
  ['as stored has a digit after the point', asStored('10'), '10.0'],
  ['as stored keeps the digits there are', asStored('0.987'), '0.987'],
  [
    'thirty digits stay exact',
    add('123456789012345678901234567.891', '0.001'),
    '123456789012345678901234567.892',
  ],
  ['what binary floating point gets wrong', add('0.1', '0.2'), '0.3'],
  ['subtraction', subtract('0.3', '0.1'), '0.2'],
  ['multiplication', multiply('0.015', 61), '0.915'],
  ['a quotient keeps many digits', round(divide('1', '3'), 6), '0.333333'],
])('%s', (_rule, result, expected) => {
  expect(result).toBe(expected)
})

test.each([
  ['0', true],
  ['-12.50', true],
  ['.5', false],
  ['5.', false],
  ['1e3', false],
  ['1,5', false],
  ['', false],
  ['9'.repeat(30), true],
  ['9'.repeat(31), false],
])('%j is money: %j', (text, expected) => {
  expect(isMoney(text)).toBe(expected)
})

test.each([
  ['1e-7', '0.0000001'],
  [' .5 ', '0.5'],
  ['+10.50', '10.5'],
  ['-0', '0'],
  ['9'.repeat(31), undefined],
  ['1e99', undefined],
  ['0x10', undefined],
  ['', undefined],
])('%j is read as %j', (text, expected) => {
  expect(moneyOf(text)).toBe(expected)
})

test('sums of scaled whole numbers are the scaled sums', () => {
  const scaled = (value: bigint) =>
    `${value < 0n ? '-' : ''}${String(value < 0n ? -value : value)
      .padStart(7, '0')
      .replace(/(\d{6})$/, '.$1')}`
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), { minLength: 1 }), (values) => {
      const sum = values.reduce((total, value) => total + value, 0n)
      expect(fixed(add(...values.map(scaled)), 6)).toBe(fixed(scaled(sum), 6))
    }),
  )
})
