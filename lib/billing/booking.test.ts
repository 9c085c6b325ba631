import { expect, test } from 'vitest'
import { type Bookable, bookedAmount, withBookedAmount, withExchangeRate } from './booking.ts'

const seconds = (text: string): number => Date.parse(text) / 1000

const books = {
  settings: {
    Charged_From: '2026-03-10',
    Timezone: 'Europe/Vilnius',
    Default_Currency: 'USD',
    Payments_With_VAT: false,
    subscribed: {},
  },
  rates: new Map([['EUR', '0.8']]),
}

const payment: Bookable = {
  amount: '10',
  currency: 'EUR',
  date: seconds('2026-03-01T12:00:00Z'),
  confirm_date: seconds('2026-03-10T12:00:00Z'),
  completed: true,
}

test.each<[string, Partial<Bookable>, string | undefined]>([
  ['in its currency', {}, '12.5'],
  ['in the default currency', { currency: '' }, '10'],
  ['without a currency', { currency: undefined as never }, '10'],
  ['with more digits than are booked', { amount: '0.00000044' }, '0.000001'],
  ['that was booked with another rate', { booked: '11' }, '11'],
  ['that is not completed', { completed: false }, undefined],
  ['before Balance_From', { confirm_date: seconds('2026-03-09T21:59:59Z') }, undefined],
  [
    'on the first second of Balance_From, in the zone',
    { confirm_date: seconds('2026-03-09T22:00:00Z') },
    '12.5',
  ],
  ['whose date counts, for it has no other', { confirm_date: undefined }, undefined],
])('a payment %s', (_case, change, booked) => {
  expect(bookedAmount({ ...payment, ...change }, undefined, books)).toBe(booked)
})

test('an adjustment, which is always complete, adds its amount', () => {
  const adjustment = { amount: '-3', date: seconds('2026-03-11T12:00:00Z') }

  expect(withBookedAmount(adjustment, undefined, books)).toEqual({
    ...adjustment,
    booked: '-3',
    posted_on: '2026-03-11',
  })
})

test.each<[string, Partial<Bookable>, string]>([
  ['the same amount and currency', {}, '11'],
  ['another amount', { amount: '20' }, '25'],
  ['another currency', { currency: '' }, '10'],
])('a changed payment with %s is booked as before or converted again', (_case, change, booked) => {
  const before = { ...payment, booked: '11' }

  expect(bookedAmount({ ...payment, ...change }, before, books)).toBe(booked)
  expect(bookedAmount({ ...payment, ...change, booked: '99' }, before, books)).toBe(booked)
})

test('a payment that was booked later than it came is converted then', () => {
  expect(bookedAmount(payment, { ...payment, completed: false }, books)).toBe('12.5')
})

const foreign = { ...payment, exchange_rate: '0.5' }

test.each<[string, Partial<Bookable>, Partial<Bookable> | undefined, string | undefined]>([
  ['gets the rate of its currency', { currency: 'EUR' }, undefined, '0.8'],
  ['keeps the rate that it brings', { exchange_rate: '0.5' }, undefined, '0.5'],
  ['in the default currency has none', { currency: 'USD', exchange_rate: '0.5' }, undefined, undefined],
  ['without a currency has none', { currency: '' }, undefined, undefined],
  ['keeps its stored rate', {}, foreign, '0.5'],
  ['keeps its stored rate with another amount', { amount: '11' }, foreign, '0.5'],
  ['gets another rate that is given', { exchange_rate: '0.4' }, foreign, '0.4'],
  ['gets the rate of another currency', { exchange_rate: '0.5' }, { ...foreign, currency: 'GBP' }, '0.8'],
])('a document %s', (_case, change, before, rate) => {
  expect(withExchangeRate({ ...payment, ...change }, before, books).exchange_rate).toBe(rate)
})

test('a document is booked by its own rate, and converted again by another one', () => {
  expect(bookedAmount(foreign, undefined, books)).toBe('20')
  expect(bookedAmount({ ...foreign, exchange_rate: '0.4' }, { ...foreign, booked: '20' }, books)).toBe('25')
  expect(bookedAmount(foreign, { ...payment, booked: '12.5' }, books)).toBe('12.5')
})

test('a document in a currency without a rate is refused', () => {
  expect(() => withExchangeRate({ ...payment, currency: 'XYZ' }, undefined, books)).toThrow(
    'currency: XYZ has no exchange rate',
  )
})

test('a currency may be blank in one state of a payment and missing in the other', () => {
  const { currency: _, ...plain } = payment

  expect(bookedAmount({ ...payment, currency: '' }, { ...plain, booked: '9' }, books)).toBe('9')
  expect(bookedAmount(plain, { ...payment, currency: '', booked: '9' }, books)).toBe('9')
})

test('a currency without an exchange rate refuses the row', () => {
  expect(() => bookedAmount({ ...payment, currency: 'XYZ' }, undefined, books)).toThrow(
    'currency: XYZ has no exchange rate',
  )
})
