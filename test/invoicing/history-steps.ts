import fc from 'fast-check'
import { multiply, round } from '#lib/base/money.ts'
import { rate } from '#test/examples/tariffs.ts'
import { MISHAPS } from '#test/faults/faulty-endpoint.ts'
import { admin, person } from '#test/invoicing/a-month.ts'

export const FIRST_DAY = '2026-05-01'

export const YEN_RATE = '163.27'

const service = (
  id: number,
  owner: number,
  price: string,
  given: Partial<Record<'type' | 'period' | 'currency', string>> = {},
) => ({
  id: String(id),
  owner_id: String(owner),
  name: `Service ${id}`,
  type: 'periodic_fee',
  period: 'monthly',
  price,
  ...given,
})

/** A postpaid customer with a minimum, a prepaid one, one in yen, a reseller, and its customer. */
export const dataset = {
  users: [
    admin,
    person(2, { usertype: 'reseller', vat_percent: '19', company_name: 'Northwind' }),
    person(10, { minimal_month: '5', minimal_from: FIRST_DAY, tariff_id: '1' }),
    person(11, { postpaid: '0' }),
    person(12, { currency: 'JPY', vat_percent: '10' }),
    person(20, { owner_id: '2', vat_percent: '7.7' }),
  ],
  currencies: [{ name: 'JPY', exchange_rate: YEN_RATE }],
  tariffs: [{ id: '1', name: 'Retail', owner_id: '0', currency: 'EUR' }],
  rates: [rate({ prefix: '4915', tariff_rate: '0.0187' })],
  services: [
    service(1, 0, '10'),
    service(2, 0, '0.333', { period: 'daily' }),
    service(3, 0, '25', { type: 'one_time_fee', period: '' }),
    service(4, 0, '990', { currency: 'JPY' }),
    service(5, 2, '12.9'),
  ],
}

/** The customers that a draw chooses from, with the services of their owner. */
export const DRAWN_CUSTOMERS = [
  { id: 2, services: [1, 2, 3] },
  { id: 10, services: [1, 2, 3, 4] },
  { id: 11, services: [1, 2, 3] },
  { id: 12, services: [1, 4] },
  { id: 20, services: [5] },
] as const

export const OWNERS = [0, 2] as const

// Drawn steps

const index = fc.nat({ max: 99 })
const price = fc
  .integer({ min: 0, max: 9_999_999 })
  .map((millionths) => round(multiply('0.000001', millionths), 6))
const secondsOfCall = fc.integer({ min: 0, max: 4000 })

const steps = {
  time: fc.record({ step: fc.constant('time'), days: fc.integer({ min: 1, max: 35 }) }),
  call: fc.record({
    step: fc.constant('call'),
    who: index,
    back: fc.integer({ min: 0, max: 110 }),
    price,
    seconds: secondsOfCall,
    isRated: fc.boolean(),
    isAnswered: fc.boolean(),
  }),
  correct: fc.record({
    step: fc.constant('correct'),
    which: index,
    price,
    seconds: secondsOfCall,
    isAnswered: fc.boolean(),
  }),
  rerate: fc.record({ step: fc.constant('rerate'), price }),
  subscribe: fc.record({
    step: fc.constant('subscribe'),
    who: index,
    which: index,
    back: fc.integer({ min: -20, max: 50 }),
    quantity: fc.integer({ min: 1, max: 3 }),
  }),
  end: fc.record({ step: fc.constant('end'), which: index, back: fc.integer({ min: -20, max: 50 }) }),
  change: fc.record({
    step: fc.constant('change'),
    which: index,
    quantity: fc.integer({ min: 1, max: 3 }),
    price,
  }),
  charge: fc.record({ step: fc.constant('charge') }),
  issue: fc.record({
    step: fc.constant('issue'),
    owner: fc.constantFrom(...OWNERS),
    back: fc.constantFrom(1, 1, 1, 2, 3),
    isTwice: fc.boolean(),
    mishaps: fc.array(fc.tuple(fc.nat({ max: 40 }), fc.constantFrom(...MISHAPS)), { maxLength: 3 }),
  }),
  credit: fc.record({
    step: fc.constant('credit'),
    which: index,
    how: fc.constantFrom('whole', 'row', 'amount'),
    part: fc.integer({ min: 1, max: 99 }),
  }),
  pay: fc.record({
    step: fc.constant('pay'),
    which: index,
    how: fc.constantFrom('exactly', 'part', 'more', 'later'),
    part: fc.integer({ min: 1, max: 99 }),
  }),
  takeBack: fc.record({ step: fc.constant('takeBack'), which: index }),
} as const

/** What happens next in a history. */
export type BillingStep = {
  [K in keyof typeof steps]: (typeof steps)[K] extends fc.Arbitrary<infer T>
    ? Omit<T, 'step'> & { step: K }
    : never
}[keyof typeof steps]

const often = (weight: number, arbitrary: fc.Arbitrary<unknown>) => ({
  weight,
  arbitrary: arbitrary as fc.Arbitrary<BillingStep>,
})

/** Histories of at most this number of steps. */
export const histories = (maxLength: number): fc.Arbitrary<BillingStep[]> =>
  fc.array(
    fc.oneof(
      often(4, steps.time),
      often(5, steps.call),
      often(2, steps.correct),
      often(1, steps.rerate),
      often(2, steps.subscribe),
      often(1, steps.end),
      often(1, steps.change),
      often(1, steps.charge),
      often(5, steps.issue),
      often(3, steps.credit),
      often(4, steps.pay),
      often(2, steps.takeBack),
    ),
    { minLength: Math.ceil(maxLength / 2), maxLength, size: 'max' },
  )
