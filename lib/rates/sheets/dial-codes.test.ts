import { expect, test } from 'vitest'
import { entriesOfSheet, pricesOfSheet, questionsOfSheet } from '#test/datasets/sheets.ts'

test.each([
  ['33', ['33']],
  ['+33', ['33']],
  ['44-7400,7401', ['447400', '447401']],
  ['7411-7415', ['7411', '7412', '7413', '7414', '7415']],
  ['44-20, 7411-7413', ['4420', '447411', '447412', '447413']],
  ['+370 6; +371 2', ['3706', '3712']],
  ['370 6', ['3706']],
  ['44 (20)', ['4420']],
  ['7400\n7401', ['7400', '7401']],
  ['61 38,39', ['6138', '6139']],
  ['61 38;39', ['6138', '6139']],
  ['61 38/39 & 40', ['6138', '6139', '6140']],
  ['61 (38,39)', ['6138', '6139']],
  ['61.38,39', ['6138', '6139']],
  ['61-38,39', ['6138', '6139']],
  ['61 38-40,45', ['6138', '6139', '6140', '6145']],
  ['+49 15, 16, 17', ['4915', '4916', '4917']],
  ['0049 15、16', ['4915', '4916']],
  ['+44 (0)20', ['4420']],
  ['1 204, 226, 249', ['1204', '1226', '1249']],
  ['1242, 1246, 1264', ['1242', '1246', '1264']],
  ['+1, +7', ['1', '7']],
  ['353.0', ['353']],
  ['011 44, 011-33', ['44', '33']],
  ['880 1 (3,4), 880 (18/19)', ['88013', '88014', '88018', '88019']],
  ['7(6|7)', ['76', '77']],
  ['92-300..302', ['92300', '92301', '92302']],
  ['44 7400 ~ 7401; 7411 to 7412', ['447400', '447401', '447411', '447412']],
  [`'44`, ['44']],
  ['=""44""', ['44']],
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

test.each([
  ['6138,39'],
  ['6138;39'],
  ['6,138'],
  ['44,447'],
  ['+6138,39'],
  ['49 15, 4916'],
  ['61 38, 39 40'],
  ['93, 94 70'],
  ['370,371'],
  ['3538-3541'],
])('asks about the list %j, which may reach another country', async (codes) => {
  expect(await questionsOfSheet(`Code;Rate;Destination\n"${codes}";0.1;Somewhere`)).toEqual([
    'lists: country or whole or grouped',
  ])
})

test('asks about a list of whole codes that leaves the country of its row', async () => {
  const sheet = 'CC;Code;Rate\n61;"6138,39";0.1\n44;"4420,4421";0.1\n33;"336,337";0.1'

  expect(await questionsOfSheet(sheet)).toEqual(['lists: country or whole or grouped'])
  expect((await pricesOfSheet(sheet, { lists: 'country' })).slice(0, 2)).toEqual([
    '2: 6138 0.1',
    '2: 6139 0.1',
  ])
})

test('the answer about lists is used', async () => {
  const sheet = 'Code;Rate\n"6138,39";0.1'

  expect(await pricesOfSheet(sheet, { lists: 'country' })).toEqual(['2: 6138 0.1', '2: 6139 0.1'])
  expect(await pricesOfSheet(sheet, { lists: 'whole' })).toEqual(['2: 6138 0.1', '2: 39 0.1'])
  expect(await pricesOfSheet('Code;Rate\n"6,138";0.1', { lists: 'grouped' })).toEqual(['2: 6138 0.1'])
})

test('area codes of three digits next to a country code are a list', async () => {
  expect(await pricesOfSheet('CC;Area Code;Rate\n1;"204,226";0.1\n44;0098-0099;0.1')).toEqual([
    '2: 1204 0.1',
    '2: 1226 0.1',
    '3: 440098 0.1',
    '3: 440099 0.1',
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
  ['7400 7401-7402', 'Code: "7400 7401-7402" may be one code or several: separate codes by commas'],
  ['7411~7415~7419', 'Code: "7411~7415~7419" is not a dial code'],
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

test.each([
  ['+49 15 16 17', ['2: 4915 0.1', '2: 4916 0.1', '2: 4917 0.1'], ['2: 49151617 0.1']],
  ['0049 15.16', ['2: 4915 0.1', '2: 4916 0.1'], ['2: 491516 0.1']],
  ['44 20 7946', ['2: 4420 0.1', '2: 447946 0.1'], ['2: 44207946 0.1']],
  ['7400 7401', ['2: 7400 0.1', '2: 7401 0.1'], ['2: 74007401 0.1']],
  ['+1242 1345', ['2: 1242 0.1', '2: 1345 0.1'], ['2: 12421345 0.1']],
  [
    '375 29 1, 3',
    ['2: 37529 0.1', '2: 3751 0.1', '2: 3753 0.1'],
    ['2: Code: "3" may be 3753, or continue 375 29 1 in another way: write each code of the list whole'],
  ],
])('asks whether the blanks in %j separate codes', async (code, list, grouped) => {
  const sheet = `Code;Rate\n"${code}";0.1`

  expect(await questionsOfSheet(sheet)).toEqual(['blanks: list or grouped'])
  expect(await pricesOfSheet(sheet, { blanks: 'list' })).toEqual(list)
  expect(await pricesOfSheet(sheet, { blanks: 'grouped' })).toEqual(grouped)
})

test('asks about blanks between area codes', async () => {
  const sheet = 'CC;Code;Rate\n49;"15 16";0.1\n44;20;0.1'

  expect(await questionsOfSheet(sheet)).toEqual(['blanks: list or grouped'])
  expect((await pricesOfSheet(sheet, { blanks: 'list' })).slice(0, 2)).toEqual(['2: 4915 0.1', '2: 4916 0.1'])
})

test('asks about two dashes, of which the second may make a range', async () => {
  const sheet = 'Code;Rate\n44-7400-7402;0.1'

  expect(await questionsOfSheet(sheet)).toEqual(['dash: range or country'])
  const range = ['2: 447400 0.1', '2: 447401 0.1', '2: 447402 0.1']
  expect(await pricesOfSheet(sheet, { dash: 'range' })).toEqual(range)
  expect(await pricesOfSheet(sheet, { dash: 'country' })).toEqual(['2: 4474007402 0.1'])
  expect(await pricesOfSheet('CC;Code;Rate\n44;44-7400-7402;0.1')).toEqual([
    expect.stringContaining('set dash to country or range'),
  ])
})

test('asks whether codes of the same length are a range, or a country code with an area code', async () => {
  const sheet = 'Code;Rate\n7-9;0.1'

  expect(await questionsOfSheet(sheet)).toEqual(['dash: range or country'])
  expect(await pricesOfSheet(sheet, { dash: 'range' })).toEqual(['2: 7 0.1', '2: 8 0.1', '2: 9 0.1'])
  expect(await pricesOfSheet(sheet, { dash: 'country' })).toEqual(['2: 79 0.1'])
})
