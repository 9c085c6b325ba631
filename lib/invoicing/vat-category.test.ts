import { expect, test } from 'vitest'
import { countryCode, countryOfVatNumber, earlierCategoryOf, vatCategoryOf } from './vat-category.ts'

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
  ['E', german, party('DE', 'none'), undefined],
  ['E', german, party('', 'HRA'), undefined],
  ['AE', german, party('FR', ' fr ab 123456789'), undefined],
] as const)('category %s', (category, seller, buyer, vatPercent) => {
  expect(vatCategoryOf({ vat: vatPercent === '19' ? '1.90' : '0', vatPercent, seller, buyer })).toBe(category)
})

test('a document that was issued before there was O keeps its reverse charge', () => {
  const swiss = party('CH', 'CH123456')

  expect(earlierCategoryOf({ vat: '0', vatPercent: undefined, seller: german, buyer: swiss })).toBe('AE')
})

test('a country has its code of ISO 3166', () => {
  expect(['uk', 'GB', ' de ', 'AN', 'EU', '80'].map(countryCode)).toEqual([
    'GB',
    'GB',
    'DE',
    'CW',
    undefined,
    undefined,
  ])
})

test('a text that is no VAT number has no country', () => {
  const numbers = ['St.-Nr. 143/815/08151', 'StNr143/815/08151', 'n/a', 'none', 'VAT DE123456789', '12/345']
  expect(numbers.map(countryOfVatNumber)).toEqual(numbers.map(() => undefined))
  const kept = [
    'ATU12345678',
    'CHE-123.456.789 MWST',
    'ESX1234567X',
    'EL 123456789',
    'GBGD001',
    'XI123456789',
  ]
  expect(kept.map(countryOfVatNumber)).toEqual(['AT', 'CH', 'ES', 'GR', 'GB', 'GB'])
})
