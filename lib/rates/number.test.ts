import { expect, test } from 'vitest'
import { ratedDigits } from './rating.ts'

const vilnius = { International_Prefix: '00', National_Prefix: '8', Country_Code: '370' }
const washington = { International_Prefix: '011', National_Prefix: '1', Country_Code: '1' }
const nowhere = { International_Prefix: '', National_Prefix: '', Country_Code: '' }

test.each([
  ['+37060012345', vilnius, '37060012345'],
  [' +370 (600) 12345', vilnius, '37060012345'],
  ['0044 20 7946 0000', vilnius, '442079460000'],
  ['860012345', vilnius, '37060012345'],
  ['37060012345', vilnius, '37060012345'],
  ['+86010123', vilnius, '86010123'],
  [' +86010123', vilnius, '86010123'],
  ['860012345', { ...vilnius, International_Prefix: '' }, '37060012345'],
  ['60012345', { ...vilnius, National_Prefix: '' }, '60012345'],
  ['011442079460000', washington, '442079460000'],
  ['12025550171', washington, '12025550171'],
  ['860012345', { ...vilnius, Country_Code: '' }, '60012345'],
  ['00442079460000', nowhere, '00442079460000'],
  ['', vilnius, ''],
])('%j is rated as %3$j', (dialled, prefixes, digits) => {
  expect(ratedDigits(dialled, prefixes)).toBe(digits)
})
