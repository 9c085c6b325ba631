import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createStatementTotals,
  inDefaultCurrency,
  isStatementPrinted,
  type StatementRow,
  withoutRate,
} from './statement.ts'

const CURRENCIES = ['USD', 'EUR', 'JPY'] as const

/** Units for one unit of the default currency, as text and as a whole number of billionths. */
const RATES = new Map([
  ['USD', '1'],
  ['EUR', '0.913'],
  ['JPY', '149.0000007'],
])
const BILLIONTHS = { USD: 1_000_000_000n, EUR: 913_000_000n, JPY: 149_000_000_700n }

const row = (rows: readonly StatementRow[]): StatementRow => rows[0] ?? { ...NO_ROW }
const NO_ROW = { type: 'invoices', status: 'paid', byCurrency: new Map() } as const

const tallyOf = (prices: readonly (readonly [currency: string, price: string])[]) => {
  const tally = createStatementTotals()
  for (const [index, [currency, price]] of prices.entries()) {
    tally.count('invoices', 'paid', { id: index + 1, currency, price, price_with_vat: price })
  }
  return row(tally.rows('paid'))
}

test.each([
  [
    'halves in two currencies are rounded after they are added',
    [
      ['USD', '0.005'],
      ['EUR', '0.00913'],
    ],
    2,
    '0.02',
  ],
  ['tiny amounts add up', Array.from({ length: 500 }, () => ['USD', '0.0000001']), 4, '0.0001'],
  [
    'positive and negative amounts',
    [
      ['USD', '0.005'],
      ['USD', '-0.01'],
    ],
    2,
    '-0.01',
  ],
  [
    'thirty digits',
    [
      ['USD', '999999999999999999999999999999'],
      ['USD', '0.00005'],
    ],
    4,
    '999999999999999999999999999999.0001',
  ],
] as [string, [string, string][], number, string][])('%s', (_rule, prices, digits, expected) => {
  expect(inDefaultCurrency(tallyOf(prices), RATES, digits)).toMatchObject({
    count: prices.length,
    price: expected,
    price_with_vat: expected,
  })
})

test('a total equals the exact fraction, rounded once', () => {
  const price = fc.tuple(fc.constantFrom(...CURRENCIES), fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }))
  fc.assert(
    fc.property(fc.array(price, { maxLength: 30 }), (prices) => {
      const all = BILLIONTHS.USD * BILLIONTHS.EUR * BILLIONTHS.JPY
      const numerator = prices.reduce(
        (sum, [currency, millionths]) => sum + millionths * (all / BILLIONTHS[currency]) * 10n ** 9n,
        0n,
      )
      const [size, sign] = numerator < 0n ? [-numerator, -1n] : [numerator, 1n]
      /** Millionths, in units of one to the fourth decimal. */
      const rounded = sign * ((2n * size + 100n * all) / (200n * all))

      const printed = inDefaultCurrency(
        tallyOf(prices.map(([currency, millionths]) => [currency, inMillionths(millionths)])),
        RATES,
        4,
      ).price
      expect(BigInt(printed.replace('.', ''))).toBe(rounded)
    }),
  )
})

function inMillionths(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(7, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

test('documents without a rate are left out, and the ids of the first five are reported', () => {
  const tallied = tallyOf([['USD', '1'], ...Array.from({ length: 7 }, () => ['XYZ', '1'] as const)])

  expect(inDefaultCurrency(tallied, RATES, 2)).toMatchObject({ count: 1, price: '1.00' })
  expect(withoutRate([tallied], RATES)).toEqual([
    { type: 'invoices', currency: 'XYZ', count: 7, ids: [2, 3, 4, 5, 6] },
  ])
})

test('rows stand in the order of their types, paid before unpaid, with empty ones', () => {
  const totals = createStatementTotals()
  totals.count('payments', 'unpaid', { id: 1, currency: 'USD', price: '1', price_with_vat: '2' })
  const namesOf = (rows: readonly StatementRow[]) => rows.map(({ type, status }) => `${status} ${type}`)

  expect(namesOf(totals.rows())).toEqual([
    'paid invoices',
    'unpaid invoices',
    'paid credit_notes',
    'unpaid credit_notes',
    'paid payments',
    'unpaid payments',
  ])
  expect(namesOf(totals.rows('unpaid'))).toEqual([
    'unpaid invoices',
    'unpaid credit_notes',
    'unpaid payments',
  ])
  expect(totals.rows('unpaid').map(({ byCurrency }) => byCurrency.size)).toEqual([0, 0, 1])
  expect(totals.rows('paid').map(({ byCurrency }) => byCurrency.size)).toEqual([0, 0, 0])
  expect(inDefaultCurrency(totals.rows('unpaid')[2] ?? NO_ROW, RATES, 2)).toEqual({
    type: 'payments',
    status: 'unpaid',
    count: 1,
    price: '1.00',
    price_with_vat: '2.00',
  })
})

test('only credit notes are left out when there are none', () => {
  const statement = { status: 'paid', price: '0', price_with_vat: '0' } as const

  expect(isStatementPrinted({ ...statement, type: 'credit_notes', count: 0 })).toBe(false)
  expect(isStatementPrinted({ ...statement, type: 'credit_notes', count: 1 })).toBe(true)
  expect(isStatementPrinted({ ...statement, type: 'invoices', count: 0 })).toBe(true)
})
