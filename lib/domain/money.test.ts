import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  add,
  divide,
  fixed,
  fixedSumOfQuotients,
  fullPrecision,
  isMoney,
  moneyOf,
  multiply,
  round,
  subtract,
} from './money.ts'

test.each([
  ['a half is rounded away from zero', fixed('0.005', 2), '0.01'],
  ['a negative half is rounded away from zero', fixed('-0.005', 2), '-0.01'],
  ['just below a half is rounded down', fixed('0.00499999999999999999999', 2), '0.00'],
  ['a zero has no sign', fixed('-0.001', 2), '0.00'],
  ['decimals are padded with zeros', fixed('10', 4), '10.0000'],
  ['a tiny amount keeps its digits', fullPrecision('0.0000001'), '0.0000001'],
  ['the stored form has a digit after the point', fullPrecision('10'), '10.0'],
  ['the stored form keeps its digits', fullPrecision('0.987'), '0.987'],
  ['the stored form has no leading or trailing zeros', fullPrecision('007.10'), '7.1'],
  ['the stored form has no exponent', fullPrecision('-1.5e3'), '-1500.0'],
  [
    'thirty digits stay exact',
    add('123456789012345678901234567.891', '0.001'),
    '123456789012345678901234567.892',
  ],
  ['a sum that binary floating point gets wrong', add('0.1', '0.2'), '0.3'],
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

test('sums of decimals equal the sums of scaled whole numbers', () => {
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

test.each([
  ['no quotients', [], 2, '0.00'],
  [
    'thirds that add up to a whole',
    [
      ['1', '3'],
      ['2', '3'],
    ],
    30,
    '1.000000000000000000000000000000',
  ],
  [
    'a half that only the sum reaches',
    [
      ['0.00002', '3'],
      ['0.00013', '3'],
    ],
    4,
    '0.0001',
  ],
  ['a half below zero', [['-0.00005', '1']], 4, '-0.0001'],
  ['a sum rounded to zero has no sign', [['-1', '100000000']], 4, '0.0000'],
  [
    'thirty digits over a tiny rate',
    [
      ['999999999999999999999999999999', '1e-9'],
      ['1', '1'],
    ],
    0,
    '999999999999999999999999999999000000001',
  ],
] as [string, [string, string][], number, string][])(
  'a sum of quotients: %s',
  (_rule, quotients, decimals, expected) => {
    expect(fixedSumOfQuotients(quotients, decimals)).toBe(expected)
  },
)

test('a sum of quotients equals the exact fraction, rounded once, half away from zero', () => {
  const amounts = fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n })
  const quotients = fc.array(fc.tuple(amounts, fc.bigInt({ min: 1n, max: 10n ** 12n })), { maxLength: 6 })
  fc.assert(
    fc.property(quotients, fc.integer({ min: 0, max: 6 }), (parts, decimals) => {
      const denominator = parts.reduce((product, [, by]) => product * by, 1n)
      const numerator = parts.reduce((sum, [amount, by]) => sum + amount * (denominator / by), 0n)
      const [size, sign] = numerator < 0n ? [-numerator, -1n] : [numerator, 1n]
      const rounded = sign * ((2n * size * 10n ** BigInt(decimals) + denominator) / (2n * denominator))

      const texts = parts.map(([amount, by]) => [String(amount), String(by)] as const)
      expect(
        fixedSumOfQuotients(texts, decimals)
          .replace('.', '')
          .replace(/^(-?)0+(?=\d)/, '$1'),
      ).toBe(String(rounded))
    }),
  )
})
