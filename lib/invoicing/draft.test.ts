import fc from 'fast-check'
import { expect, test } from 'vitest'
import { minorDigits } from '#lib/base/currency-digits.ts'
import { add, isPositive, isZero, type Money, multiply, subtract, ZERO } from '#lib/base/money.ts'
import { bookedAtRate } from '#lib/billing/invoice-payment.ts'
import { documentTotals, inMinorUnits, rowSum } from './amounts.ts'
import { type CallSums, type CallsNow, NOTHING_BILLED, withoutPart, withPart } from './billed.ts'
import {
  type BillableCharge,
  type DraftTerms,
  draftOf,
  isEmptyDraft,
  type MonthUse,
  negativeProducts,
  timeText,
} from './draft.ts'

const terms: DraftTerms = {
  currency: 'USD',
  default_currency: 'USD',
  exchange_rate: '1',
  vat_percent: '21',
  issue_date: '2026-06-01',
}

const charge = (id: number, net: Money, given: Partial<BillableCharge> = {}): BillableCharge => ({
  id,
  subscription_id: id,
  service_id: id,
  from: '2026-05-27',
  quantity: '1',
  price: net,
  currency: '',
  net,
  amount: net,
  memo: `Service ${id}`,
  period: 'month',
  ...given,
})

const NOW: CallsNow = { own: {}, resold: {} }

const use = (given: Partial<MonthUse> = {}): MonthUse => ({
  month: '2026-05',
  billed: NOTHING_BILLED,
  now: NOW,
  seen: { own: {}, resold: {} },
  charges: [],
  minimum: ZERO,
  labelled: { own: [], resold: [] },
  ...given,
})

const germany = { calls: 3, seconds: 668, amount: '0.2431' }
const kingdom = { calls: 2, seconds: 184, amount: '0.029134' }

const example = use({
  now: { own: { '2026-05-03': germany, '2026-05-20': kingdom }, resold: {} },
  labelled: {
    own: [
      { kind: 'calls' as const, destination: 'United Kingdom', origin: '', prefix: '44', sums: kingdom },
      { kind: 'calls' as const, destination: 'Germany mobile', origin: '', prefix: '4915', sums: germany },
    ],
    resold: [],
  },
  charges: [charge(1, '1.612903', { price: '10' }), charge(2, '25', { period: 'once' })],
  minimum: '5',
})

test('a month of calls, charges and a minimum adds up to the cent', () => {
  const draft = draftOf([example], terms)

  expect(draft.products.map(({ name, quantity, sum, time }) => [name, quantity, sum, time])).toEqual([
    ['Germany mobile', '3', '0.24', '00:11:08'],
    ['United Kingdom', '2', '0.03', '00:03:04'],
    ['Service 1', '1', '1.61', ''],
    ['Service 2', '1', '25', ''],
    ['Minimum, May 2026', '1', '4.73', ''],
  ])
  expect(draft).toMatchObject({ net: '31.61', vat: '6.64', gross: '38.25', total_time: '00:14:12' })
  expect(draft.charged).toBe('26.885137')
  expect(subtract(draft.charged, bookedAtRate(draft.net, {}))).toBe('-4.724863')
})

test('a billed month has nothing left, and a late call is a row with the rest of the minimum', () => {
  const [own] = draftOf([example], terms).months
  const billed = withPart(NOTHING_BILLED, { id: 7, number: 'A-2026-7' }, own?.part ?? never(), example)
  const late = { calls: 3, seconds: 700, amount: '0.9431' }
  const unchanged = use({ billed, labelled: undefined, minimum: billed.minimum })

  expect(draftOf([unchanged], terms).products).toEqual([])
  const changed = { ...unchanged, now: { own: { '2026-05-03': late }, resold: {} } }
  const { products, net } = draftOf([changed], terms)
  expect(products.map(({ name, quantity, sum, time }) => [name, quantity, sum, time])).toEqual([
    ['Calls, May 2026, late', '0', '0.7', '00:00:32'],
    ['Minimum, May 2026, late', '1', '-0.7', ''],
  ])
  expect(net).toBe('0')
})

test('a month issued again after a whole credit note names what other invoices billed of it', () => {
  const [own] = draftOf([example], terms).months
  const late = { calls: 1, seconds: 10, amount: '0.5' }
  const first = withPart(NOTHING_BILLED, { id: 7, number: 'A-2026-7' }, own?.part ?? never(), example)
  const both = withPart(
    first,
    { id: 8, number: 'A-2026-8' },
    { calls: { own: { '2026-05-04': late }, resold: {} }, charges: {}, minimum: '-0.5' },
    example,
  )
  const again = {
    ...example,
    billed: withoutPart(both, 7),
    charges: example.charges,
    now: { own: { ...example.now.own, '2026-05-04': late }, resold: {} },
    labelled: {
      own: [
        ...(example.labelled?.own ?? []),
        { kind: 'calls' as const, destination: 'Late', origin: '', prefix: '1', sums: late },
      ],
      resold: [],
    },
  }

  const draft = draftOf([again], terms)

  expect(draft.products.map(({ name, sum }) => [name, sum])).toContainEqual([
    'Calls, billed on A-2026-8',
    '-0.5',
  ])
  expect(draft.net).toBe('31.61')
  expect(draft.charged).toBe('26.885137')
})

test('charges by the day share a row, one in the currency of the document is not converted', () => {
  const inEuros = { ...terms, currency: 'EUR', exchange_rate: '0.8', vat_percent: undefined }
  const daily = [1, 2, 3].map((id) => charge(id, '0.333', { subscription_id: 9, period: 'day' }))
  const inEuro = charge(4, '10', { currency: 'EUR', amount: '13' })

  const { products, gross, vat } = draftOf([use({ charges: [...daily, inEuro] })], inEuros)

  expect(products.map(({ quantity, sum }) => [quantity, sum])).toEqual([
    ['3', '0.8'],
    ['1', '10'],
  ])
  expect([vat, gross]).toEqual(['0', '10.8'])
})

test('nothing but amounts below the minor unit is empty, rows that cancel each other are not', () => {
  const tiny = { calls: 1, seconds: 1, amount: '0.004' }
  const labelled = {
    own: [{ kind: 'calls' as const, destination: 'A', origin: '', prefix: '1', sums: tiny }],
    resold: [],
  }
  const small = draftOf([use({ now: { own: { '2026-05-01': tiny }, resold: {} }, labelled })], terms)
  const cancelled = draftOf([use({ charges: [charge(1, '5'), charge(2, '-5')] })], terms)

  expect([isEmptyDraft(small), isEmptyDraft(cancelled), isEmptyDraft(draftOf([use()], terms))]).toEqual([
    true,
    false,
    true,
  ])
})

test('VAT is rounded once, half away from zero, to the minor unit of the currency', () => {
  expect(documentTotals(['2.5'], { ...terms, vat_percent: '21' })).toMatchObject({ vat: '0.53' })
  expect(documentTotals(['-2.5'], { ...terms, vat_percent: '21' })).toMatchObject({ vat: '-0.53' })
  expect(documentTotals(['1.1'], { ...terms, vat_percent: '0' })).toEqual({
    net: '1.1',
    vat: '0',
    gross: '1.1',
  })
  expect(rowSum('1.5', { ...terms, currency: 'JPY' })).toBe('2')
  expect(rowSum('1.0005', { ...terms, currency: 'KWD' })).toBe('1.001')
  expect(['JPY', 'KWD', 'EUR', 'CREDITS'].map(minorDigits)).toEqual([0, 3, 2, 2])
})

test('times are printed as clocks show them', () => {
  expect([0, 59, 3600, 360_000, -61].map(timeText)).toEqual([
    '00:00:00',
    '00:00:59',
    '01:00:00',
    '100:00:00',
    '-00:01:01',
  ])
})

test('customers of a reseller have rows of their own, and rows without calls are left out', () => {
  const labelled = {
    own: [
      { kind: 'calls' as const, destination: 'A', origin: '', prefix: '1', sums: germany },
      {
        kind: 'calls' as const,
        destination: 'None',
        origin: '',
        prefix: '9',
        sums: { calls: 0, seconds: 0, amount: '0' },
      },
    ],
    resold: [
      { kind: 'calls' as const, destination: 'A', origin: '', prefix: '1', sums: kingdom },
      { kind: 'calls' as const, destination: '', origin: '', prefix: '', sums: kingdom },
    ],
  }
  const { products, months } = draftOf(
    [use({ labelled }), use({ month: '2026-04', labelled: undefined })],
    terms,
  )

  expect(products.map(({ name, prefix }) => [name, prefix])).toEqual([
    ['A', '1'],
    ['Calls of customers: A', '1'],
    ['Calls of customers', ''],
  ])
  expect(months.map((one) => one.use.month)).toEqual(['2026-05'])
})

test('late calls, charges and a part of a minimum have a row each, and lower calls lower times', () => {
  const late = use({
    month: '2026-04',
    now: { own: {}, resold: { '2026-04-02': { calls: 0, seconds: 0, amount: '0' } } },
    billed: withPart(
      NOTHING_BILLED,
      { id: 7, number: 'A-7' },
      {
        calls: { own: {}, resold: { '2026-04-02': { calls: 2, seconds: 3725, amount: '3' } } },
        charges: {},
        minimum: '0',
      },
      { seen: NOW, minimum: '0' } as never,
    ),
    charges: [charge(1, '1.5'), charge(2, '-0.25')],
    labelled: undefined,
  })

  const draft = draftOf([use(), late], terms)

  expect(
    draft.products.map(({ name, quantity, time, prefix, sum }) => [name, quantity, time, prefix, sum]),
  ).toEqual([
    ['Calls of customers, April 2026, late', '-2', '-01:02:05', '', '-3'],
    ['Charges, April 2026, late', '1', '', '', '1.25'],
  ])
  expect(draft.total_time).toBe('-01:02:05')
  expect(draft.months.map((one) => one.use.month)).toEqual(['2026-05', '2026-04'])
  expect(
    negativeProducts(draft.products).map(({ quantity, time, price, sum }) => [quantity, time, price, sum]),
  ).toEqual([
    ['2', '01:02:05', '3', '3'],
    ['1', '', '-1.25', '-1.25'],
  ])
})

test('a credit note gives back a fee at the price of its service', () => {
  const refund = draftOf([use({ charges: [charge(1, '-3.225806', { price: '10' })] })], terms)

  expect(negativeProducts(refund.products)).toMatchObject([{ quantity: '1', price: '10', sum: '3.23' }])
})

test('fees by the day share a row with those of their subscription only, other fees have their own', () => {
  const daily = (id: number, subscription_id: number) => charge(id, '1', { subscription_id, period: 'day' })
  const monthly = [3, 4].map((id) => charge(id, '7', { subscription_id: 9 }))

  const { products } = draftOf([use({ charges: [daily(1, 8), daily(2, 9), daily(5, 8), ...monthly] })], terms)

  expect(products.map(({ sum }) => sum)).toEqual(['2', '1', '7', '7'])
})

test('what other documents have billed of a month has a row without a prefix, if it has calls', () => {
  const billed = withPart(
    withPart(
      NOTHING_BILLED,
      { id: 7, number: 'A-7' },
      { calls: { own: { '2026-05-01': germany }, resold: {} }, charges: {}, minimum: '0' },
      { seen: NOW, minimum: '0' } as never,
    ),
    { id: 8, number: 'A-8' },
    { calls: NOW, charges: { 1: '5' }, minimum: '0' },
    { seen: NOW, minimum: '0' } as never,
  )
  const now = { own: { '2026-05-01': germany }, resold: {} }
  const labelled = {
    own: [{ kind: 'calls' as const, destination: 'A', origin: '', prefix: '1', sums: germany }],
    resold: [],
  }

  expect(draftOf([use({ billed, now, labelled })], terms).products).toMatchObject([
    { name: 'A', sum: '0.24' },
    { name: 'Calls, billed on A-7', sum: '-0.24', prefix: '', quantity: '-3' },
  ])
})

test('amounts are printed with all decimals of their currency', () => {
  expect([inMinorUnits('1.5', 'EUR'), inMinorUnits('1', 'JPY'), inMinorUnits('1', 'KWD')]).toEqual([
    '1.50',
    '1',
    '1.000',
  ])
})

// Properties

const amount = fc
  .integer({ min: -1e9, max: 1e9 })
  .map((millionths) => multiply(String(millionths), '0.000001'))

const sums = fc.record<CallSums>({
  calls: fc.nat(100),
  seconds: fc.nat(10_000),
  amount: amount.map((one) => (isPositive(one) ? one : ZERO)),
})

const days = fc.dictionary(fc.constantFrom('2026-05-01', '2026-05-02', '2026-05-31'), sums)

const calls = fc.record<CallsNow>({ own: days, resold: days })

test('property: net is the sum of the rows, gross is net and VAT, all in whole minor units', () => {
  fc.assert(
    fc.property(
      fc.array(amount),
      fc.nat(30),
      fc.constantFrom('JPY', 'USD', 'KWD'),
      (exact, percent, currency) => {
        const rows = exact.map((one) => rowSum(one, { ...terms, currency }))
        const { net, vat, gross } = documentTotals(rows, { ...terms, currency, vat_percent: String(percent) })
        expect(net).toBe(add(...rows))
        expect(gross).toBe(add(net, vat))
        for (const one of [...rows, net, vat, gross])
          expect(one.split('.')[1]?.length ?? 0).toBeLessThanOrEqual(minorDigits(currency))
      },
    ),
  )
})

test('property: however often calls change, all invoices bill the present ones and the minimum', () => {
  const states = fc.array(fc.tuple(calls, fc.boolean()), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(states, fc.constantFrom('0', '3', '700'), (drawn, minimum) => {
      const { billed, present } = billedInTurn(drawn, minimum)
      const parts = Object.values(billed.parts)
      const ofDays = (all: CallsNow) => [...Object.values(all.own), ...Object.values(all.resold)]
      const amounts = (some: readonly CallSums[]) => add(...some.map((one) => one.amount))
      const total = amounts(ofDays(present))
      expect(amounts(parts.flatMap((part) => ofDays(part.calls)))).toBe(total)
      const missing = subtract(minimum, total)
      expect(add(...parts.map((part) => part.minimum))).toBe(isPositive(missing) ? missing : ZERO)
      const rest = draftOf([use({ billed, now: present, minimum, labelled: undefined })], terms)
      expect(rest.products.every(({ sum }) => isZero(sum))).toBe(true)
    }),
  )
})

/** Bills the states of a month one after the other. Some documents are credited whole before the last one. */
function billedInTurn(drawn: readonly (readonly [CallsNow, boolean])[], minimum: Money) {
  let billed = NOTHING_BILLED
  let present: CallsNow = NOW
  for (const [index, [changed, isCredited]] of drawn.entries()) {
    present = {
      own: { ...present.own, ...changed.own },
      resold: { ...present.resold, ...changed.resold },
    }
    const [own] = draftOf([use({ billed, now: present, minimum })], terms).months
    const read = { seen: { own: {}, resold: {} }, minimum }
    billed = withPart(billed, { id: index, number: `A-${index}` }, own?.part ?? never(), read)
    if (isCredited && index < drawn.length - 1) billed = withoutPart(billed, index)
  }
  return { billed, present }
}

function never(): never {
  throw new Error('the draft bills no month')
}
