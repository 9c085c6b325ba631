import { expect, test } from 'vitest'
import { creditLeft } from '#tools/commands/report/balances.ts'
import { chargesOf, isCharged, totalOf } from './balance.ts'

const balance = { opening: '10', paid: '5.5', adjusted: '-1', charged: '4.25', fees: '0' }

test('a balance is what was there, was paid and was adjusted, less the prices of calls', () => {
  expect(totalOf(balance)).toBe('10.25')
})

test('an account may spend its balance and its credit, and with the credit -1 without limit', () => {
  expect(creditLeft(balance, '2')).toBe('12.25')
  expect(creditLeft(balance, '-1')).toBeUndefined()
})

const call = { charged: true, user_id: 20, owner_id: 2, direct: false, user_price: '3', reseller_price: '1' }

test.each([
  [
    'the customer and its reseller',
    {},
    [
      [20, '3'],
      [2, '1'],
    ],
  ],
  ['a direct customer alone', { direct: true }, [[20, '3']]],
  [
    'nothing where prices are unknown',
    { user_price: undefined, reseller_price: undefined },
    [
      [20, '0'],
      [2, '0'],
    ],
  ],
  ['nobody before Balance_From', { charged: undefined }, []],
] as const)('a call charges %s', (_case, change, charges) => {
  expect(chargesOf({ ...call, ...change })).toEqual(charges)
})

test.each([
  ['2026-03-10', '2026-03-10', true],
  ['2026-03-11', '2026-03-10', true],
  ['2026-03-09', '2026-03-10', false],
  ['2026-03-10', '', false],
])('the day %s counts from %j on: %s', (day, Charged_From, counts) => {
  expect(isCharged(day, { Charged_From })).toBe(counts)
})
