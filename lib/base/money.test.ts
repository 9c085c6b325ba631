import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '#test/sweep.ts'
import {
  add,
  createSum,
  divide,
  fixed,
  fixedSumOfQuotients,
  fullPrecision,
  isLessThan,
  isMoney,
  isPositive,
  isZero,
  moneyOf,
  multiply,
  niceDigits,
  positiveOf,
  round,
  roundedQuotient,
  roundedQuotientOfProducts,
  subtract,
  typedAmount,
} from './money.ts'

test.each([
  ['a half is rounded away from zero', () => fixed('0.005', 2), '0.01'],
  ['a negative half is rounded away from zero', () => fixed('-0.005', 2), '-0.01'],
  ['just below a half is rounded down', () => fixed('0.00499999999999999999999', 2), '0.00'],
  ['a zero has no sign', () => fixed('-0.001', 2), '0.00'],
  ['decimals are padded with zeros', () => fixed('10', 4), '10.0000'],
  ['a tiny amount keeps its digits', () => fullPrecision('0.0000001'), '0.0000001'],
  ['the stored form has a digit after the point', () => fullPrecision('10'), '10.0'],
  ['the stored form keeps its digits', () => fullPrecision('0.987'), '0.987'],
  ['the stored form has no leading or trailing zeros', () => fullPrecision('007.10'), '7.1'],
  ['the stored form has no exponent', () => fullPrecision('-1.5e3'), '-1500.0'],
  [
    'thirty digits stay exact',
    () => add('123456789012345678901234567.891', '0.001'),
    '123456789012345678901234567.892',
  ],
  ['a sum that binary floating point gets wrong', () => add('0.1', '0.2'), '0.3'],
  ['subtraction', () => subtract('0.3', '0.1'), '0.2'],
  ['multiplication', () => multiply('0.015', 61), '0.915'],
  ['a quotient keeps many digits', () => round(divide('1', '3'), 6), '0.333333'],
  ['a quotient keeps 40 decimals', () => divide('2', 3), `0.${'6'.repeat(39)}7`],
  ['a rounded amount has no trailing zeros', () => round('1.499', 2), '1.5'],
  ['a half is rounded away from zero, without zeros', () => round('-0.125', 2), '-0.13'],
  ['a tiny product has no exponent', () => multiply('0.000001', '0.000001'), '0.000000000001'],
  [
    'a huge product has no exponent',
    () => multiply('1'.padEnd(30, '0'), '1'.padEnd(30, '0')),
    '1'.padEnd(59, '0'),
  ],
  ['no amounts add up to zero', () => add(), '0'],
  ['the stored form of a zero', () => fullPrecision('0'), '0.0'],
  ['the stored form of a whole amount', () => fullPrecision('-120'), '-120.0'],
  ['the stored form drops the sign of a zero', () => fullPrecision('-0'), '0.0'],
  ['the stored form of a fraction that begins with its point', () => fullPrecision('.50'), '0.5'],
  ['the stored form of a fraction without digits', () => fullPrecision('7.00'), '7.0'],
])('%s', (_rule, compute, expected) => {
  expect(compute()).toBe(expected)
})

test.each([
  ['0', true],
  ['-12.50', true],
  ['.5', false],
  ['5.', false],
  ['1e3', false],
  ['1,5', false],
  ['', false],
  ['--1', false],
  ['1.2.3', false],
  ['1 ', false],
  ['9'.repeat(30), true],
  ['9'.repeat(31), false],
  [`-${'9'.repeat(15)}.${'9'.repeat(15)}`, true],
  [`${'9'.repeat(15)}.${'9'.repeat(16)}`, false],
])('%j is money: %j', (text, expected) => {
  expect(isMoney(text)).toBe(expected)
})

test.each([
  ['1e-7', '0.0000001'],
  [' .5 ', '0.5'],
  ['+10.50', '10.5'],
  ['+1.5e+2', '150'],
  ['.25', '0.25'],
  ['1e7', '10000000'],
  ['-12e-12', '-0.000000000012'],
  ['5.', '5'],
  ['12.E+2', '1200'],
  ['1e', undefined],
  ['.', undefined],
  ['1e100', undefined],
  ['x1', undefined],
  ['1x', undefined],
  ['++1', undefined],
  ['-0', '0'],
  ['9'.repeat(31), undefined],
  ['1e99', undefined],
  ['0x10', undefined],
  ['', undefined],
])('%j is read as %j', (text, expected) => {
  expect(moneyOf(text)).toBe(expected)
})

test.each([
  ['0.000001', '0.000001'],
  ['45.50', '45.5'],
  ['0', undefined],
  ['0.00', undefined],
  ['-1', undefined],
  ['+1', undefined],
  ['1e3', undefined],
  ['', undefined],
])('the positive amount %j is read as %j', (text, expected) => {
  expect(positiveOf(text)).toBe(expected)
})

test('zero is neither positive nor anything else', () => {
  const amounts = ['-0.1', '-0', '0', '0.00', '0.1']

  expect(amounts.filter(isZero)).toEqual(['-0', '0', '0.00'])
  expect(amounts.filter(isPositive)).toEqual(['0.1'])
})

test('amounts are added one by one', () => {
  const sum = createSum()
  expect(sum.total()).toBe('0')

  for (const amount of ['0.1', '0.2', '-0.05']) sum.add(amount)
  expect(sum.total()).toBe('0.25')
})

test.each([
  ['2', '3', 2, '0.67'],
  ['1', '8', 2, '0.13'],
  ['-1', '8', 2, '-0.13'],
  ['1', '2', 2, '0.5'],
  ['1e20', '3', 0, '33333333333333333333'],
  ['1', '3', 8, '0.33333333'],
])('%s / %s with %i decimals is %s', (amount, by, decimals, quotient) => {
  expect(roundedQuotient(amount, by, decimals)).toBe(quotient)
})

test('amounts are printed with 4 decimals unless the settings say otherwise, and with at most 30', () => {
  expect([undefined, 0, 6, 31].map((Nice_Number_Digits) => niceDigits({ Nice_Number_Digits }))).toEqual([
    4, 0, 6, 30,
  ])
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

test.each([
  ['12.50', '12.5'],
  ['12,50', '12.5'],
  ['-3', '-3'],
  [' 0,125 ', '0.125'],
  ['1e3', undefined],
  ['1,234', undefined],
  ['-12,345', undefined],
  ['1.234,50', undefined],
  ['+5', undefined],
  ['.5', undefined],
  ['', undefined],
  ['1234567890123456', undefined],
])('the typed amount %j is %j', (text, amount) => {
  expect(typedAmount(text)).toBe(amount)
})

test('quotients, sums and comparisons of any length equal those of whole numbers', () => {
  const units = fc.oneof(
    fc.integer({ min: -2000, max: 2000 }).map(BigInt),
    fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n }),
    fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n }),
  )
  const decimals = fc.integer({ min: 0, max: 20 })
  const amount = fc.record({ units, decimals })
  const textOf = ({ units: of, decimals: to }: { units: bigint; decimals: number }) => {
    const digits = String(of < 0n ? -of : of).padStart(to + 1, '0')
    const point = digits.length - to
    return `${of < 0n ? '-' : ''}${digits.slice(0, point)}${to > 0 ? `.${digits.slice(point)}` : ''}`
  }
  const by = amount.filter(({ units: of }) => of !== 0n)
  fc.assert(
    fc.property(amount, amount, by, fc.integer({ min: 0, max: 8 }), (one, other, divisor, to) => {
      const wide = ({ units: of, decimals: from }: typeof one) => of * 10n ** BigInt(40 - from)
      const sum = wide(one) * 61n + wide(other) * 60n
      const [numerator, denominator] = [sum * 10n ** BigInt(to), wide(divisor) * 60n]
      const [size, most] = [numerator, denominator].map((value) => (value < 0n ? -value : value)) as [
        bigint,
        bigint,
      ]
      const rounded = (2n * size + most) / (2n * most)
      const isNegative = numerator < 0n !== denominator < 0n
      const expected = fixed(textOf({ units: isNegative ? -rounded : rounded, decimals: to }), to)

      const [first, second] = [textOf(one), textOf(other)]
      const terms = [
        [first, 61],
        [second, 60],
      ] as const
      expect(fixed(roundedQuotientOfProducts(terms, [textOf(divisor), 60], to), to)).toBe(expected)
      expect(isLessThan(first, second)).toBe(wide(one) < wide(other))
      expect(subtract(add(first, second), second)).toBe(round(first, 40))
    }),
    { numRuns: runs(2000, 100_000) },
  )
})
