import { readFile } from 'node:fs/promises'
import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { openQuestions } from '../sheets/describe-reading.ts'
import { readSheet } from '../sheets/read-sheet.ts'
import { ratesOfSheet } from '../sheets/sheet-rates.ts'
import { EEA_TEMPLATE } from './eea-template.ts'
import { readOriginLists } from './origin-lists.ts'

const RATES = [
  ['Destination', 'Prefix', 'Origin Group', 'Rate (EUR/min)'],
  ['Belgium', '32', 'GRPA', '0.007'],
  ['Belgium', '32', 'Rest', '0.25'],
]

const GROUPS = [
  ['Valid from 1 May'],
  ['Origin Group', 'Country', 'Country Codes'],
  ['GRPA', 'Germany', '49'],
  ['', 'Benelux', '31, 32 and 352'],
  ['GRPB', 'Morocco', '212'],
]

const aDeck = (others: { name: string; rows: string[][] }[]) =>
  writeXlsx({ sheets: [{ name: 'Rates', rows: RATES }, ...others] })

test('a second worksheet with names and codes is offered as the list of origins', async () => {
  const deck = await aDeck([
    { name: 'Notes', rows: [['Rates exclude VAT']] },
    { name: 'Groups', rows: GROUPS },
  ])
  const asked = openQuestions(await readSheet(deck, { mode: 'merge' }))
  expect(asked).toMatchObject([{ about: 'origins_sheet', choices: ['Groups', 'none'] }])

  const reading = await readSheet(deck, { mode: 'merge', origins_sheet: 'Groups' })
  expect(openQuestions(reading)).toEqual([])
  const calendar = { firstImport: new Date(0), zone: 'UTC' }
  expect(ratesOfSheet(reading, 1, calendar).origins).toEqual([
    { origin: 'GRPA', prefix: '49' },
    { origin: 'GRPA', prefix: '31' },
    { origin: 'GRPA', prefix: '32' },
    { origin: 'GRPA', prefix: '352' },
    { origin: 'GRPB', prefix: '212' },
  ])
  expect((await readSheet(deck, { mode: 'merge', origins_sheet: 'none' })).origins).toEqual([])
})

test('a dash of two codes is a range or one code as the profile says, and refused otherwise', async () => {
  const groups = [GROUPS[1] ?? [], ['GRPB', 'North Africa', '20, 212-213'], ['GRPC', 'Caribbean', '1-242']]
  const deck = await aDeck([{ name: 'Groups', rows: groups }])
  const codes = async (dash?: 'range' | 'country') =>
    (await readOriginLists(deck, { origins_sheet: 'Groups', ...(dash && { dash }) })).map(
      ({ prefix }) => prefix,
    )
  await expect(codes()).rejects.toThrow('"20, 212-213" may be a range, or one code: write each code')
  expect(await codes('range')).toEqual(['20', '212', '213', '1242'])
  expect(await codes('country')).toEqual(['20', '212213', '1242'])
})

test('a deck without lists, or without origins, asks nothing', async () => {
  expect(openQuestions(await readSheet(await aDeck([]), { mode: 'merge' }))).toEqual([])
  const plain = await writeXlsx({
    sheets: [
      { name: 'Rates', rows: RATES.map((row) => row.filter((_, column) => column !== 2)).slice(0, 2) },
      { name: 'Groups', rows: GROUPS },
    ],
  })
  expect(openQuestions(await readSheet(plain, { mode: 'merge' }))).toEqual([])
})

test('the template of the page is the file of data/', async () => {
  const file = await readFile(new URL('../../../data/origins/eea.csv', import.meta.url))
  expect(EEA_TEMPLATE).toBe(file.toString())
  expect(await readOriginLists(file)).toHaveLength(30)
})

test.each([
  ['Origin,Prefix\nMars!,49', 'Line 2 of the origins: "Mars!" is not a name'],
  ['Origin,Prefix\ninvalid,49', 'Line 2 of the origins: "invalid" is reserved'],
  ['Origin,Prefix\nEEA,abc', 'Line 2 of the origins: '],
  ['Origin,Prefix\n,49', 'Line 2 of the origins has codes, and no name'],
  [
    'Origin,Prefix\nEEA,"44 1481, 49 43"',
    'Line 2 of the origins: "44 1481, 49 43" may be one code or several',
  ],
  [
    'Country,Group,Code\nNorway,EEA,47\nMorocco,,212\nGermany,EEA,49',
    'Line 3 of the origins has codes, and no name',
  ],
  [
    'Origin,Prefix,Excluded Codes\nEEA,49,\nEEA,44,"441481, 441534"',
    'Line 3 of the origins says "Excluded Codes" "441481, 441534": remove ended rows, and list excluded',
  ],
  ['Origin,Prefix,Action\nEEA,49,Add\nEEA,44,Delete', 'Line 3 of the origins says "Action" "Delete"'],
  ['Prefix,Rate\n49,1', 'The file lists no origins: it needs a column Origin and a column Prefix'],
])('a file of origins is refused with its line: %j', async (text, words) => {
  await expect(readOriginLists(Buffer.from(text))).rejects.toThrow(words)
})
