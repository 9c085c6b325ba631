import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { entriesOfSheet, pricesOfSheet, readSheetText } from '#test/datasets/sheets.ts'
import { readSheet } from './read-sheet.ts'

test('a sheet with semicolons, code ranges and decimal commas is read', async () => {
  const sheet = [
    'Example Carrier Ltd;;;;',
    'Rates in EUR, valid from 1 December;;;;',
    ';;;;',
    'Destination;Country Code;Dial Codes;Price per minute;Effective Date;Increment',
    'Germany - Mobile;49;"150-152, 1511";0,0125;13.12.2026;60/60',
    'United Kingdom;44;20;0,5;01.12.2026 06:00;1/1',
    'Subject to change without notice',
  ].join('\r\n')
  const reading = await readSheetText(sheet)

  expect(reading.questions).toEqual([])
  expect(reading.skipped).toBe(1)
  expect(reading.profile).toEqual({
    delimiter: ';',
    encoding: 'utf-8',
    columns: {
      destination: 'Destination',
      country_code: 'Country Code',
      prefix: 'Dial Codes',
      tariff_rate: 'Price per minute',
      effective_from: 'Effective Date',
      billing: 'Increment',
    },
    decimal: 'comma',
    codes: 'area',
    currency: 'EUR',
  })
  const germany = {
    direction: '',
    destination: 'Germany - Mobile',
    tariff_rate: '0.0125',
    con_fee: '',
    min_time: '60',
    increment: '60',
    start_time: '',
    end_time: '',
    daytype: '',
    effective_from: '2026-12-13 00:00:00',
    ends_at: '',
    after_end: '',
  }
  const ofUk = {
    ...germany,
    destination: 'United Kingdom',
    tariff_rate: '0.5',
    min_time: '1',
    increment: '1',
    effective_from: '2026-12-01 06:00:00',
  }
  expect([...reading.rows()]).toEqual([
    ...['49150', '49151', '49152', '491511'].map((prefix) => ({ line: 5, cells: { ...germany, prefix } })),
    { line: 6, cells: { ...ofUk, prefix: '4420' } },
  ])
})

const SHEET = 'Destination,Code,Rate\nFrance,33,0.0125\nZürich,4143,0.02'

test.each([
  ['UTF-8', Buffer.from(SHEET)],
  ['UTF-8 with a mark', Buffer.from(`\uFEFF${SHEET}`)],
  ['UTF-16, low byte first', Buffer.from(`\uFEFF${SHEET}`, 'utf16le')],
  ['UTF-16 without a mark', Buffer.from(SHEET, 'utf16le')],
  ['UTF-16, high byte first', Buffer.from(`\uFEFF${SHEET}`, 'utf16le').swap16()],
  ['Windows-1252', Buffer.from(SHEET, 'latin1')],
])('text is read in %s', async (_encoding, bytes) => {
  const rows = [...(await readSheet(bytes, {})).rows()]

  expect(rows.map((row) => 'cells' in row && row.cells['destination'])).toEqual(['France', 'Zürich'])
})

test.each([[','], [';'], ['\t'], ['|']])('cells may be separated by %j', async (delimiter) => {
  expect(await pricesOfSheet(SHEET.replaceAll(',', delimiter))).toEqual(['2: 33 0.0125', '3: 4143 0.02'])
})

test('a first line may name the delimiter', async () => {
  expect(await pricesOfSheet(`sep=:\n${SHEET.replaceAll(',', ':')}`)).toEqual([
    '3: 33 0.0125',
    '4: 4143 0.02',
  ])
})

test('the delimiter is found under unknown headings', async () => {
  const sheet = 'Land;Vorwahl;Preis\nGermany;49;0,02\nUK;44-7400,7401;0,05\n'
  const { questions } = await readSheet(Buffer.from(sheet), {})

  expect(questions[0]?.asks).toContain('["Land","Vorwahl","Preis"]')
})

test.each([
  ['60/60', '60', '60'],
  ['60/1', '60', '1'],
  ['"1,1,1"', '1', '1'],
  ['"60,1"', '60', '1'],
  ['30 + 6', '30', '6'],
  ['1 sec', '0', '1'],
  ['60s/60s', '60', '60'],
])('increments of %j', async (increments, minimum, step) => {
  const [entry] = await entriesOfSheet(`Code;Rate;Billing Increment\n33;0.1;${increments}`)

  expect(entry).toMatchObject({ cells: { min_time: minimum, increment: step } })
})

test('a line with dial codes alone is refused, because its codes would be lost', async () => {
  expect(await pricesOfSheet('Country;Codes;Rate\nCuba;537;0.5\n;"5342, 5343";\n;page 2;')).toEqual([
    '2: 537 0.5',
    '3: Rate: "" is not a price with a decimal point such as 0.0125',
  ])
})

test('increments of two columns, of the profile, and of none', async () => {
  const [both] = await entriesOfSheet('Code;Rate;Min Time;Subsequent Increment\n33;0.1;30;6')
  const [told] = await entriesOfSheet('Code;Rate\n33;0.1', { billing: '60/1' })
  const [plain] = await entriesOfSheet('Code;Rate;Min Time;Increment;Connection Fee\n33;0.1;30;6;0.05')

  expect(both).toMatchObject({ cells: { min_time: '30', increment: '6' } })
  expect(told).toMatchObject({ cells: { min_time: '60', increment: '1' } })
  expect(plain).toMatchObject({ cells: { min_time: '30', increment: '6', con_fee: '0.05' } })
})

test.each([
  ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'The sheet is an .xls, or has a password'],
  ['an archive cut short', Buffer.from('504b030400', 'hex'), 'The file is damaged'],
  [
    'another encoding than the profile says',
    Buffer.from('Code,Rate\n33,\xff', 'latin1'),
    'The sheet is not utf-8',
  ],
])('refuses %s with the reason', async (_case, bytes, message) => {
  await expect(readSheet(bytes, { encoding: 'utf-8' })).rejects.toThrow(message)
})

test('a workbook is read from its first worksheet, or the named one', async () => {
  const bytes = await writeXlsx({
    sheets: [
      {
        name: 'Rates',
        rows: [
          ['Destination', 'Code', 'Rate', 'Effective Date', 'Increment'],
          ['France', 33, 0.0125, new Date('2026-12-01T00:00:00Z'), '60/60'],
          ['Tiny', '4474', 0.0000012, new Date('2026-12-01T06:00:00Z'), '1/1'],
          ['Sum', '45', 0.1 + 0.2, null, '1/1'],
        ],
      },
      {
        name: 'Other',
        rows: [
          ['Code', 'Rate'],
          [46, 1],
        ],
      },
    ],
  })
  const first = [...(await readSheet(bytes, {})).rows()]

  expect(
    first.map(
      (entry) =>
        'cells' in entry && [
          entry.cells['prefix'],
          entry.cells['tariff_rate'],
          entry.cells['effective_from'],
        ],
    ),
  ).toEqual([
    ['33', '0.0125', '2026-12-01 00:00:00'],
    ['4474', '0.0000012', '2026-12-01 06:00:00'],
    ['45', '0.3', ''],
  ])
  expect([...(await readSheet(bytes, { sheet: 'Other' })).rows()]).toMatchObject([
    { line: 2, cells: { prefix: '46' } },
  ])
  await expect(readSheet(bytes, { sheet: 'Nowhere' })).rejects.toThrow('Nowhere')
})

test('asks which worksheet holds the rates if the first one is a cover', async () => {
  const cover = { name: 'Cover', rows: [['Example Carrier Ltd'], ['Rates valid from 1 December']] }
  const rates = {
    name: 'A-Z & more',
    rows: [
      ['Code', 'Rate'],
      [33, 0.1],
    ],
  }
  const bytes = await writeXlsx({ sheets: [cover, rates] })
  const { worksheets } = await readSheet(bytes, { sheet: 'A-Z & more' })

  expect((await readSheet(bytes, {})).questions).toMatchObject([
    { about: 'sheet', choices: ['Cover', 'A-Z & more'] },
  ])
  expect(worksheets).toEqual(['Cover', 'A-Z & more'])
})
