import { expect, test } from 'vitest'
import { countryCodeOf, isCountryCode, plainNumberOf, prefixOf } from './code.ts'

const dialling = { International_Prefix: '00', National_Prefix: '' }
const american = { International_Prefix: '011', National_Prefix: '1' }
const british = { International_Prefix: '00', National_Prefix: '0' }
const unknown = { International_Prefix: '', National_Prefix: '' }

test.each([
  ['+370 6', dialling, '3706'],
  [' 370-6 ', dialling, '3706'],
  ['(44) 20', dialling, '4420'],
  ['\u00A044', dialling, '44'],
  ['44a', dialling, undefined],
  ['', dialling, undefined],
  ['4+4', dialling, undefined],
  ['1'.repeat(31), dialling, undefined],
  ['353.0', dialling, '353'],
  ['33.00', dialling, '33'],
  ['353,0', dialling, '353'],
  ['00888', dialling, '888'],
  ['00 370 6', dialling, '3706'],
  ['01144', american, '44'],
  ['1204', american, '1204'],
  ['01144', dialling, '01144'],
  ['0044', unknown, '0044'],
])('the prefix %j', (written, by, expected) => {
  expect(prefixOf(written, by)).toBe(expected)
})

test.each([
  [
    '4.42079E+11',
    dialling,
    '4.42079E+11 is not a number: a spreadsheet shortened it, format the column as text',
  ],
  ['4,4e11', dialling, '4,4e11 is not a number: a spreadsheet shortened it, format the column as text'],
  [
    '442079460056.50',
    dialling,
    '442079460056.50 is not a number: it has decimals, format the column as text',
  ],
  ['020', british, '020 reaches no number: put the country code in place of 0'],
  ['+0044', dialling, '0044 reaches no number: put the country code in place of 00'],
])('the prefix %j is refused', (written, by, reason) => {
  expect(() => prefixOf(written, by)).toThrow(reason)
})

test.each([
  ['442079460050.0', '442079460050'],
  ['0044 20 7946 0050', '442079460050'],
  ['+44 20 7946-0050', '+44 20 7946-0050'],
  ['alice', 'alice'],
])('the number %j is kept as %j', (written, number) => {
  expect(plainNumberOf(written, dialling)).toBe(number)
})

test.each([
  ['12025550171', '1'],
  ['7701', '7'],
  ['442079460000', '44'],
  ['37060012345', '370'],
  ['8816', '881'],
  ['39', '39'],
  ['', ''],
])('the country code of %j is %j', (digits, code) => {
  expect(countryCodeOf(digits)).toBe(code)
})

test.each([
  ['1', true],
  ['44', true],
  ['370', true],
  ['37', false],
  ['4', false],
  ['441', false],
  ['012', false],
  ['', false],
])('%j is a country code: %j', (digits, expected) => {
  expect(isCountryCode(digits)).toBe(expected)
})
