import { expect, test } from 'vitest'
import { entriesOfSheet, pricesOfSheet, questionsOfSheet } from '#test/datasets/sheets.ts'

test.each([
  ['33', ['33']],
  ['+33', ['33']],
  ['44-7400,7401', ['447400', '447401']],
  ['44-7400-7402', ['4474007402']],
  ['7411-7415', ['7411', '7412', '7413', '7414', '7415']],
  ['44-20, 7411-7413', ['4420', '447411', '447412', '447413']],
  ['0098-0101', ['0098', '0099', '0100', '0101']],
  ['+370 6; +371 2', ['3706', '3712']],
  ['370 6', ['3706']],
  ['44 (20)', ['4420']],
  ['7400\n7401', ['7400', '7401']],
])('the dial codes %j', async (codes, prefixes) => {
  const entries = await entriesOfSheet(`Code;Rate\n"${codes}";0.1`, { delimiter: ';' })

  expect(entries.map((entry) => 'cells' in entry && (entry.problem ?? entry.cells['prefix']))).toEqual(
    prefixes,
  )
})

test('a country code in a column of its own is put in front of each code', async () => {
  const sheet = 'Country Code;Area Code;Rate\n44;20-23,7400;0.1\n+33;;0.2'

  expect(await pricesOfSheet(sheet)).toEqual([
    ...['4420', '4421', '4422', '4423', '447400'].map((prefix) => `2: ${prefix} 0.1`),
    '3: 33 0.2',
  ])
})

test('codes that begin with the country code of their row stay unchanged', async () => {
  expect(await pricesOfSheet('Country Code,Dial Code,Rate\n44,447400,0.1\n33,336,0.2')).toEqual([
    '2: 447400 0.1',
    '3: 336 0.2',
  ])
})

test.each([
  ['7 or 8 codes', 'Code: "7 or 8 codes" is not a dial code'],
  ['7400 7401', 'Code: "7400 7401" may be one code or several: separate codes by commas'],
  ['4.47E+11', 'Code: "4.47E+11" is not a dial code: a spreadsheet shortened it, format the column as text'],
  [
    '7411-15',
    'Code: "7411-15" is neither a range of codes of the same length from low to high, nor a country code with an area code',
  ],
  ['10000-99999', 'Code: the range 10000-99999 has more than 10000 codes'],
  ['', 'Code: "" is not a dial code'],
])('refuses the dial code %j with the remedy', async (code, problem) => {
  expect(await pricesOfSheet(`Destination;Code;Rate\nSomewhere;${code};0.1`)).toEqual([`2: ${problem}`])
})

test('asks whether codes of the same length are a range, or a country code with an area code', async () => {
  const sheet = 'Code;Rate\n7-9;0.1'

  expect(await questionsOfSheet(sheet)).toEqual(['dash: range or country'])
  expect(await pricesOfSheet(sheet, { dash: 'range' })).toEqual(['2: 7 0.1', '2: 8 0.1', '2: 9 0.1'])
  expect(await pricesOfSheet(sheet, { dash: 'country' })).toEqual(['2: 79 0.1'])
})
