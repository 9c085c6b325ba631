import { expect, test } from 'vitest'
import { invoiceTotalsWarning } from './invoices.ts'

test.each([
  ['equal sums, written differently', '10.50', '10.5', []],
  ['an invoice without products', '10.50', undefined, []],
  ['an invoice without a price', undefined, '10.50', []],
  [
    'a difference of a cent',
    '10.50',
    '10.51',
    ['warning: the price of invoice 7 is 10.50, but its products add up to 10.51'],
  ],
])('warnings about the totals of an invoice: %s', (_case, price, products, warnings) => {
  expect(invoiceTotalsWarning(7, price, products)).toEqual(warnings)
})
