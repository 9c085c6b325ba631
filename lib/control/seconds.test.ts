import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLessThan, ZERO } from '#lib/base/money.ts'
import { runs } from '#test/sweep.ts'
import { type PricedRate, priceFor, secondsFor } from './plan.ts'

const rated = (tariff_rate: string, increment: number, min_time: number, con_fee: string): PricedRate => ({
  rate: { tariff_rate, increment, min_time, con_fee },
  exchangeRate: '1',
})

const HALF_AN_HOUR = 1800

test.each([
  [rated('0.12', 60, 0, '0.05'), '0.30', 120, '0.29'],
  [rated('0.60', 6, 13, '0'), '0.13', 12, '0.13'],
  [rated('0.60', 6, 13, '0'), '0.129', 0, '0'],
  [{ ...rated('0.2', 1, 0, '0'), exchangeRate: '0.9217' }, '10', 1800, '6.50971'],
  [rated('0.2', 1, 0, '0'), '8', 1800, '6'],
  [rated('0.2', 1, 0, '0'), '2', 600, '2'],
  [rated('0', 1, 0, '0.05'), '0.05', 1800, '0.05'],
  [rated('0', 1, 0, '0.05'), '0.049999', 0, '0'],
  [rated('0.000000000000001', 1, 0, '0'), '0', 1800, '0'],
  [rated('1', 0, 86_400, '0'), '1439.99', 0, '0'],
])('%o: %s pays %i seconds, which cost %s', (priced, money, seconds, price) => {
  expect(secondsFor(priced, money, HALF_AN_HOUR)).toBe(seconds)
  expect(priceFor(priced, seconds)).toBe(price)
})

test('with increments of 60 seconds, the price of 90 seconds pays 120', () => {
  const priced = rated('0.6', 60, 0, '0')
  expect(secondsFor(priced, priceFor(priced, 90), 86_400)).toBe(120)
})

/** A decimal with at most these numbers of digits before and after the point. */
const decimal = (before: number, after: number) =>
  fc
    .tuple(fc.nat(10 ** before - 1), fc.nat(10 ** after - 1), fc.integer({ min: 0, max: after }))
    .map(([whole, part, digits]) => `${whole}.${String(part).padStart(after, '0').slice(0, digits)}0`)

const aRate = fc.record({
  rate: fc.record({
    tariff_rate: fc.oneof(decimal(1, 4), decimal(3, 9), fc.constant(ZERO)),
    increment: fc.constantFrom(0, 1, 1, 6, 10, 30, 60, 60, 3600),
    min_time: fc.constantFrom(0, 0, 1, 13, 30, 60, 61, 86_400),
    con_fee: fc.oneof(fc.constant(ZERO), decimal(1, 4)),
  }),
  exchangeRate: fc.oneof(
    fc.constant('1'),
    decimal(3, 6).filter((rate) => Number(rate) > 0),
  ),
})

const RATES = runs(5000, 1_000_000)

test('of each drawn rate: the seconds are paid, one more is not, and more money never pays fewer', {
  timeout: 120_000,
}, () => {
  const drawn = fc.tuple(aRate, decimal(2, 9), decimal(1, 6), fc.integer({ min: 1, max: 43_200 }))
  fc.assert(
    fc.property(drawn, ([priced, money, more, cap]) => {
      const seconds = secondsFor(priced, money, cap)
      const price = priceFor(priced, seconds)
      const isDearer = (one: number) => isLessThan(money, priceFor(priced, one))
      return (
        !isLessThan(money, price) &&
        (seconds === cap || isDearer(seconds + 1)) &&
        secondsFor(priced, String(Number(money) + Number(more)), cap) >= seconds &&
        secondsFor(priced, price, cap) >= seconds
      )
    }),
    { numRuns: RATES },
  )
})
