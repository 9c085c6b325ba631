import { expect, test } from 'vitest'
import type { ScopeKind } from '#lib/base/scope.ts'
import { addTallies, isSameTally, marginOf, NOTHING, negative, profitOf, tallyOf } from './statistics.ts'

const call = {
  hangupcause: 16,
  billsec: 61,
  direct: false,
  user_price: '0.3',
  reseller_price: '0.2',
  provider_price: '0.1',
}

test.each<[ScopeKind, boolean, string, string]>([
  ['user', true, '0', '0'],
  ['owner', false, '0.3', '0.2'],
  ['everyone', false, '0.2', '0.1'],
  ['everyone', true, '0.3', '0.1'],
])('for %s, direct: %s, a call earns %s and costs %s', (kind, direct, revenue, self_cost) => {
  expect(tallyOf({ ...call, direct }, kind)).toEqual({
    calls: 1,
    answered: 1,
    billsec: 61,
    revenue,
    self_cost,
  })
})

test('a call that was not answered is a call, and nothing else', () => {
  expect(tallyOf({ ...call, hangupcause: 17 }, 'everyone')).toEqual({ ...NOTHING, calls: 1 })
})

test('a price that is not known counts as nothing', () => {
  expect(tallyOf({ hangupcause: 16, billsec: 1, direct: true }, 'everyone')).toMatchObject({
    revenue: '0',
    self_cost: '0',
  })
})

test('tallies are added column by column', () => {
  const [one, other] = [
    { calls: 5, answered: 3, billsec: 100, revenue: '0.1', self_cost: '0.01' },
    { calls: 7, answered: 2, billsec: 20, revenue: '0.2', self_cost: '0.02' },
  ]

  expect(addTallies(one, other)).toEqual({
    calls: 12,
    answered: 5,
    billsec: 120,
    revenue: '0.3',
    self_cost: '0.03',
  })
  expect(addTallies()).toEqual(NOTHING)
})

test('a tally is the same if each of its sums is', () => {
  const tally = { calls: 3, answered: 2, billsec: 60, revenue: '0.06', self_cost: '0.03' }

  expect(isSameTally({ ...tally }, tally)).toBe(true)
  expect(isSameTally(undefined, tally)).toBe(false)
  const others = [{ calls: 4 }, { answered: 3 }, { billsec: 61 }, { revenue: '0' }, { self_cost: '0' }]
  expect(others.map((change) => isSameTally({ ...tally, ...change }, tally))).toEqual(others.map(() => false))
})

test('what is taken out leaves nothing behind', () => {
  const tally = tallyOf({ ...call, user_price: '0.000000000000001' }, 'owner')

  expect(addTallies(tally, tally, negative(tally), negative(tally))).toEqual(NOTHING)
})

test.each([
  ['3', '1', '2', '66.67'],
  ['0', '1', '-1', '0'],
  ['1', '1.5', '-0.5', '-50'],
  ['8', '7.9996', '0.0004', '0.01'],
])('revenue %s, self cost %s: profit %s, margin %s percent', (revenue, self_cost, profit, margin) => {
  const tally = { ...NOTHING, revenue, self_cost }

  expect(profitOf(tally)).toBe(profit)
  expect(marginOf(tally)).toBe(margin)
})
