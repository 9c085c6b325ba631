import { expect, test } from 'vitest'
import { isBelowCost } from './below-cost.ts'

test.each([
  ['more than the provider charges', { user_price: '1.01', provider_price: '1', direct: true }, false],
  ['just what it charges', { user_price: '1', provider_price: '1.0', direct: true }, false],
  ['less', { user_price: '0.99', provider_price: '1', direct: true }, true],
  ['nothing, where it charges', { user_price: '0', provider_price: '0.000001', direct: true }, true],
  ['what nobody knows the cost of', { user_price: '0', direct: true }, false],
  ['by a reseller, less than it pays', { user_price: '1', reseller_price: '2', direct: false }, true],
  [
    'by a reseller, who pays less than the provider charges',
    { user_price: '9', reseller_price: '2', provider_price: '3', direct: false },
    true,
  ],
  [
    'by a reseller, all in order',
    { user_price: '9', reseller_price: '4', provider_price: '3', direct: false },
    false,
  ],
])('a call sold for %s', (_case, prices, isBelow) => {
  expect(isBelowCost(prices)).toBe(isBelow)
})
