import { expect, test } from 'vitest'
import { earlierCategoryOf, vatCategoryOf } from './vat-category.ts'

const party = (country: string, vat_number = '') => ({ country, vat_number })
const german = party('DE', 'DE123456789')

test.each([
  ['S', german, party('CH'), '19'],
  ['AE', german, party('FR', 'FR32123456789'), undefined],
  ['AE', german, party('', 'FR32123456789'), '0'],
  ['E', german, party('DE', 'DE987654321'), undefined],
  ['E', german, party('FR'), undefined],
  ['E', german, party(''), undefined],
  ['O', german, party('CH', 'CHE123456789'), undefined],
  ['O', german, party('US'), '0'],
  ['O', german, party('', 'XI123456789'), undefined],
  ['O', party('CH', 'CHE1'), german, undefined],
  ['E', party('CH', 'CHE1'), party('CH'), undefined],
] as const)('category %s', (category, seller, buyer, vatPercent) => {
  expect(vatCategoryOf({ vat: vatPercent === '19' ? '1.90' : '0', vatPercent, seller, buyer })).toBe(category)
})

test('a document that was issued before there was O keeps its reverse charge', () => {
  const swiss = party('CH', 'CH123456')

  expect(earlierCategoryOf({ vat: '0', vatPercent: undefined, seller: german, buyer: swiss })).toBe('AE')
})
