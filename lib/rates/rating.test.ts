import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyTimeRate } from '#test/examples/tariffs.ts'
import {
  BLOCKED_RATE,
  bestRateAt,
  DAY_TYPES,
  digitsOf,
  isBelowCost,
  isBlocked,
  matchRate,
  numberPrefixes,
  priceOf,
  type Rate,
  ratingMoment,
} from './rating.ts'

const at = (iso: string): number => Date.parse(iso) / 1000

const match = (rates: readonly Rate[], digits: string, iso: string, zone = 'UTC') =>
  matchRate(
    rates
      .filter(({ prefix }) => digits.startsWith(prefix))
      .sort((one, other) => one.prefix.length - other.prefix.length),
    { at: at(iso), zone },
  )

const TUESDAY = '2026-03-10T12:00:00Z'

const NIGHT = { start_time: '22:00:00', end_time: '06:00:00' }

test('the longest matching prefix decides', () => {
  const rates = ['3', '370', '3706', '3707'].map((prefix) => anyTimeRate({ prefix }))

  expect(match(rates, '37061234', TUESDAY)?.prefix).toBe('3706')
  expect(match(rates, '37', TUESDAY)?.prefix).toBe('3')
  expect(match(rates, '4', TUESDAY)).toBeUndefined()
})

test('a shorter prefix decides while no rate of the longer one is in force', () => {
  const rates = [anyTimeRate({ prefix: '3' }), anyTimeRate({ effective_from: at(TUESDAY) + 1 })]

  expect(match(rates, '3706', TUESDAY)?.prefix).toBe('3')
})

test.each<[string, Partial<Rate>, string, boolean]>([
  ['a weekend on a free Tuesday', { daytype: 'weekend' }, TUESDAY, true],
  ['a weekday on a free Tuesday', { daytype: 'weekday' }, TUESDAY, false],
  ['a weekday on a working Saturday', { daytype: 'weekday' }, '2026-03-14T12:00:00Z', true],
  ['a weekend on a working Saturday', { daytype: 'weekend' }, '2026-03-14T12:00:00Z', false],
  ['a weekend on the next Saturday', { daytype: 'weekend' }, '2026-03-21T12:00:00Z', true],
  ['everyday on a free Tuesday', { daytype: 'everyday' }, TUESDAY, true],
  ['the night of a free day', { ...NIGHT, daytype: 'weekend' }, '2026-03-11T03:00:00Z', true],
  ['the night before a free day', { ...NIGHT, daytype: 'weekend' }, '2026-03-10T03:00:00Z', false],
])('free days are weekends, and working days are none: %s', (_case, rate, iso, isInForce) => {
  const settings = { Timezone: 'UTC', Free_Days: '2026-03-10,2026-12-25', Working_Days: '2026-03-14' }
  const best = bestRateAt(ratingMoment(at(iso), settings))

  expect(best([anyTimeRate(rate)]) !== undefined).toBe(isInForce)
})

test('only the first 30 digits count', () => {
  const digits = '1'.repeat(40)

  expect(numberPrefixes(digits)[0]).toHaveLength(30)
  expect(
    match([anyTimeRate({ prefix: '1'.repeat(31) }), anyTimeRate({ prefix: '1' })], digits, TUESDAY)?.prefix,
  ).toBe('1')
})

test.each<[string, Partial<Rate>, string, boolean]>([
  ['from the second of effective_from', { effective_from: at(TUESDAY) }, TUESDAY, true],
  ['not before effective_from', { effective_from: at(TUESDAY) + 1 }, TUESDAY, false],
  ['a window from its first second', { start_time: '12:00:00' }, TUESDAY, true],
  ['a window to its last second', { end_time: '12:00:00' }, TUESDAY, true],
  ['not before a window', { start_time: '12:00:01' }, TUESDAY, false],
  ['not after a window', { end_time: '11:59:59' }, TUESDAY, false],
  ['a window of one second', { start_time: '12:00:00', end_time: '12:00:00' }, TUESDAY, true],
  ['after a window of one second', { start_time: '11:59:59', end_time: '11:59:59' }, TUESDAY, false],
  ['everyday on Saturday', { daytype: 'everyday' }, '2026-03-14T12:00:00Z', true],
  ['a weekday on Tuesday', { daytype: 'weekday' }, TUESDAY, true],
  ['a weekend on Tuesday', { daytype: 'weekend' }, TUESDAY, false],
  ['a weekday on Friday', { daytype: 'weekday' }, '2026-03-13T12:00:00Z', true],
  ['a weekday on Saturday', { daytype: 'weekday' }, '2026-03-14T12:00:00Z', false],
  ['a weekend on Sunday', { daytype: 'weekend' }, '2026-03-15T12:00:00Z', true],
  ['over midnight, late', { start_time: '22:00:00', end_time: '06:00:00' }, '2026-03-10T22:00:00Z', true],
  ['over midnight, early', { start_time: '22:00:00', end_time: '06:00:00' }, '2026-03-10T06:00:00Z', true],
  ['over midnight, by day', { start_time: '22:00:00', end_time: '06:00:00' }, '2026-03-10T12:00:00Z', false],
])('in force: %s', (_case, rest, moment, expected) => {
  expect(match([anyTimeRate(rest)], '370', moment) !== undefined).toBe(expected)
})

test('a window over midnight belongs to the day on which it begins', () => {
  const night = { start_time: '22:00:00', end_time: '06:00:00' }
  const [saturday, monday] = ['2026-03-14T03:00:00Z', '2026-03-16T03:00:00Z']

  expect(match([anyTimeRate({ ...night, daytype: 'weekday' })], '370', saturday)).toBeDefined()
  expect(match([anyTimeRate({ ...night, daytype: 'weekend' })], '370', saturday)).toBeUndefined()
  expect(match([anyTimeRate({ ...night, daytype: 'weekend' })], '370', monday)).toBeDefined()
  expect(match([anyTimeRate({ ...night, daytype: 'weekday' })], '370', monday)).toBeUndefined()
})

test('the zone decides the time and the day of the week', () => {
  const saturdayMorning = anyTimeRate({ daytype: 'weekend', end_time: '09:00:00' })

  expect(match([saturdayMorning], '370', '2026-03-13T20:00:00Z', 'Asia/Tokyo')).toBeDefined()
  expect(match([saturdayMorning], '370', '2026-03-13T20:00:00Z')).toBeUndefined()
})

const whole = anyTimeRate({ effective_from: 100, destination: 'whole day' })
test.each<[string, Partial<Rate>, Partial<Rate>]>([
  ['a window wins over a newer whole day', { start_time: '11:00:00' }, { effective_from: 100 }],
  ['the newest effective_from wins', { effective_from: 2, daytype: 'everyday' }, { daytype: 'weekday' }],
  [
    'a window of half a day wins over a newer whole day',
    { start_time: '06:00:00', end_time: '17:59:59' },
    { effective_from: 100 },
  ],
  ['weekday wins over everyday', { daytype: 'weekday' }, {}],
  [
    'weekday wins over everyday, which starts later',
    { daytype: 'weekday', start_time: '10:00:00' },
    { start_time: '11:00:00' },
  ],
  [
    'the latest start_time of two weekdays wins',
    { daytype: 'weekday', start_time: '11:00:00' },
    { daytype: 'weekday', start_time: '10:00:00' },
  ],
  ['the latest start_time wins', { start_time: '11:00:00' }, { start_time: '10:00:00' }],
  ['the shorter window wins last', { end_time: '13:00:00' }, { end_time: '14:00:00' }],
  [
    'a whole day that wraps over midnight is not a window',
    { end_time: '23:00:00' },
    { start_time: '12:00:00', end_time: '11:59:59' },
  ],
])('among rates of one prefix, %s', (_case, winner, loser) => {
  const rates = [anyTimeRate({ ...loser, code: 'loses' }), anyTimeRate({ ...winner, code: 'wins' })]

  expect(match(rates, '370', TUESDAY)?.code).toBe('wins')
  expect(match(rates.toReversed(), '370', TUESDAY)?.code).toBe('wins')
  expect(match([whole], '370', TUESDAY)).toBe(whole)
})

test.each<[number, Partial<Rate>, number, string]>([
  [0, { con_fee: '1' }, 0, '0'],
  [1, { increment: 60 }, 60, '1'],
  [61, { increment: 60 }, 120, '2'],
  [1, { min_time: 30 }, 30, '0.5'],
  [31, { increment: 6, min_time: 30 }, 36, '0.6'],
  [5, { increment: 6, min_time: 13 }, 13, '0.216667'],
  [10, { increment: 0 }, 10, '0.166667'],
  [1, { tariff_rate: '0.00003' }, 1, '0.000001'],
  [90, { tariff_rate: '0.987', con_fee: '0.05' }, 90, '1.5305'],
])('%i seconds at %j', (billsec, rest, billed_seconds, price) => {
  expect(priceOf(anyTimeRate(rest), billsec)).toEqual({ billed_seconds, price })
})

test('a price in another currency is rounded once, an exact half away from zero', () => {
  // 0.014511 x 189 / 60 / 0.9 is 0.0507885; neither 0.014511 / 0.9 nor a third of it ends.
  expect(priceOf(anyTimeRate({ tariff_rate: '0.014511', increment: 1 }), 189, '0.9').price).toBe('0.050789')
})

test('everything but digits is stripped from a dialled number', () => {
  fc.assert(fc.property(fc.string(), (dialled) => /^\d*$/.test(digitsOf(dialled))))
  expect(digitsOf('+370 (6) 12-34')).toBe('37061234')
})

test.each([
  ['above the provider price', { user_price: '1.01', provider_price: '1', direct: true }, false],
  ['at the provider price', { user_price: '1', provider_price: '1.0', direct: true }, false],
  ['below the provider price', { user_price: '0.99', provider_price: '1', direct: true }, true],
  ['for nothing, with a provider price', { user_price: '0', provider_price: '0.000001', direct: true }, true],
  ['with an unknown cost', { user_price: '0', direct: true }, false],
  ['for an unknown price', { provider_price: '1', direct: true }, false],
  ['by a reseller below its own price', { user_price: '1', reseller_price: '2', direct: false }, true],
  [
    'to a reseller below the provider price',
    { user_price: '9', reseller_price: '2', provider_price: '3', direct: false },
    true,
  ],
  [
    'by a reseller, each price above its cost',
    { user_price: '9', reseller_price: '4', provider_price: '3', direct: false },
    false,
  ],
])('a call sold %s', (_case, prices, isBelow) => {
  expect(isBelowCost(prices)).toBe(isBelow)
})

test('a rate of -1 blocks its prefix', () => {
  expect(BLOCKED_RATE).toBe('-1')
  expect(['-1', '0', '1'].map((tariff_rate) => isBlocked({ tariff_rate }))).toEqual([true, false, false])
})

test('day types are everyday, weekday and weekend', () => {
  expect(DAY_TYPES).toEqual(['everyday', 'weekday', 'weekend'])
})

test('a rate without effective_from has always been in force', () => {
  expect(bestRateAt({ at: 0, zone: 'UTC' })([anyTimeRate({})])).toBeDefined()
  expect(bestRateAt({ at: 0, zone: 'UTC' })([anyTimeRate({ effective_from: 1 })])).toBeUndefined()
})

const untilNoon = { ends_at: at(TUESDAY) }

test.each<[string, readonly Partial<Rate>[], string, string | undefined]>([
  ['is in force until its end', [untilNoon], '2026-03-10T11:59:59Z', '370 1'],
  ['is not in force from its end on', [untilNoon], TUESDAY, undefined],
  ['gives way to a shorter prefix', [untilNoon, { prefix: '37', tariff_rate: '2' }], TUESDAY, '37 2'],
  ['blocks its prefix', [{ ...untilNoon, after_end: 'blocked' }, { prefix: '37' }], TUESDAY, '370 -1'],
  [
    'does not block before its end',
    [{ ...untilNoon, after_end: 'blocked' }],
    '2026-03-10T11:59:59Z',
    '370 1',
  ],
  [
    'leaves the rate that it replaced replaced',
    [untilNoon, { effective_from: 1 }, { ...untilNoon, effective_from: 2 }],
    TUESDAY,
    undefined,
  ],
  [
    'gives way to the rate that follows it',
    [
      { ...untilNoon, after_end: 'blocked' },
      { effective_from: at(TUESDAY), tariff_rate: '3' },
    ],
    TUESDAY,
    '370 3',
  ],
  [
    'gives way to the rate of other hours',
    [{ ...untilNoon, start_time: '09:00:00' }, { tariff_rate: '4' }],
    TUESDAY,
    '370 4',
  ],
])('a rate with an end %s', (_case, rates, moment, expected) => {
  const rate = match(rates.map(anyTimeRate), '3701234', moment)

  expect(rate && `${rate.prefix} ${rate.tariff_rate}`).toBe(expected)
})

test('of two windows the later start wins, then the shorter one', () => {
  const best = (...rates: Partial<Rate>[]) =>
    bestRateAt({ at: at(TUESDAY), zone: 'UTC' })(
      rates.map((rest, n) => anyTimeRate({ code: String(n), ...rest })),
    )?.code

  expect(best({ start_time: '10:00:00' }, { start_time: '11:00:00' })).toBe('1')
  expect(
    best(
      { start_time: '10:00:00', end_time: '20:00:00' },
      { start_time: '10:00:00', end_time: '19:59:59' },
      { start_time: '10:00:00', end_time: '20:00:01' },
    ),
  ).toBe('1')
  expect(
    best({ start_time: '10:00:00', end_time: '12:01:00' }, { start_time: '10:00:00', end_time: '12:00:59' }),
  ).toBe('1')
})

test('prefixes of a number are as long as the number, down to one digit', () => {
  expect(numberPrefixes('123')).toEqual(['123', '12', '1'])
  expect(numberPrefixes('')).toEqual([])
})

test.each([
  [0, 0],
  [-1, 0],
  [1, 1],
])('%i seconds are billed as %i', (billsec, billed_seconds) => {
  expect(priceOf(anyTimeRate({}), billsec).billed_seconds).toBe(billed_seconds)
})
