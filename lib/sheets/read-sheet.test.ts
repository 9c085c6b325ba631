import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import type { Profile } from './profile.ts'
import { readSheet } from './read-sheet.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

const read = (text: string, profile: Profile = {}) => readSheet(bytesOf(text), profile)

const entriesOf = async (text: string, profile: Profile = {}) => [...(await read(text, profile)).rows()]

/** Line, prefix and rate of each row; for a row that ends prefixes, or is refused, that. */
async function ratesOf(text: string, profile: Profile = {}): Promise<string[]> {
  return (await entriesOf(text, profile)).map((entry) => {
    if ('ended' in entry) return `${entry.line}: ${entry.ended} ends ${entry.from}`.trim()
    const { prefix, tariff_rate } = entry.cells
    return `${entry.line}: ${entry.problem ?? `${prefix} ${tariff_rate}`}`
  })
}

const questionsOf = async (text: string, profile: Profile = {}) =>
  (await read(text, profile)).questions.map(({ about, choices }) => `${about}: ${choices.join(' or ')}`)

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
  const reading = await read(sheet)

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
  ['UTF-8', bytesOf(SHEET)],
  ['UTF-8 with a mark', bytesOf(`\uFEFF${SHEET}`)],
  ['UTF-16, low byte first', Buffer.from(`\uFEFF${SHEET}`, 'utf16le')],
  ['UTF-16 without a mark', Buffer.from(SHEET, 'utf16le')],
  ['UTF-16, high byte first', Buffer.from(`\uFEFF${SHEET}`, 'utf16le').swap16()],
  ['Windows-1252', Buffer.from(SHEET, 'latin1')],
])('text is read in %s', async (_encoding, bytes) => {
  const rows = [...(await readSheet(bytes, {})).rows()]

  expect(rows.map((row) => 'cells' in row && row.cells['destination'])).toEqual(['France', 'Zürich'])
})

test('the euro sign of Windows-1252 names the currency', async () => {
  const bytes = Buffer.from('Code,Rate\n33,\x80 0.01\n34,\x80 0.02', 'latin1')

  expect((await readSheet(bytes, {})).profile.currency).toBe('EUR')
})

test.each([[','], [';'], ['\t'], ['|']])('cells may be separated by %j', async (delimiter) => {
  expect(await ratesOf(SHEET.replaceAll(',', delimiter))).toEqual(['2: 33 0.0125', '3: 4143 0.02'])
})

test('a first line may name the delimiter', async () => {
  expect(await ratesOf(`sep=:\n${SHEET.replaceAll(',', ':')}`)).toEqual(['3: 33 0.0125', '4: 4143 0.02'])
})

test.each([
  ['Destination,Dial Code,Rate'],
  ['Zone,Area Code,Price'],
  ['Zone Name,PREFIX,New Rate'],
  ['Country,Country Code,Rate (USD/min)'],
  ['Area Name,Dialling codes,USD per minute'],
  ['Name,E.164,Rate per minute'],
  ['Destination Name,Codes,Sell rate'],
])('columns are found under the names %s', async (header) => {
  expect(await ratesOf(`${header}\nFrance,33,0.0125`)).toEqual(['2: 33 0.0125'])
})

test('columns are found under the headings of the profile', async () => {
  const sheet = 'Vorwahl;Preis alt;Preis neu\n33;0.1;0.2'

  expect(await questionsOf(sheet)).toEqual(['columns: '])
  expect(
    await ratesOf(sheet, { delimiter: ';', columns: { prefix: 'Vorwahl', tariff_rate: 'preis neu' } }),
  ).toEqual(['2: 33 0.2'])
})

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
  const entries = await entriesOf(`Code;Rate\n"${codes}";0.1`, { delimiter: ';' })

  expect(entries.map((entry) => 'cells' in entry && (entry.problem ?? entry.cells['prefix']))).toEqual(
    prefixes,
  )
})

test('a country code in a column of its own is put in front of each code', async () => {
  const sheet = 'Country Code;Area Code;Rate\n44;20-23,7400;0.1\n+33;;0.2'

  expect(await ratesOf(sheet)).toEqual([
    ...['4420', '4421', '4422', '4423', '447400'].map((prefix) => `2: ${prefix} 0.1`),
    '3: 33 0.2',
  ])
})

test('codes that begin with the country code of their row stay unchanged', async () => {
  expect(await ratesOf('Country Code,Dial Code,Rate\n44,447400,0.1\n33,336,0.2')).toEqual([
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
  expect(await ratesOf(`Destination;Code;Rate\nSomewhere;${code};0.1`)).toEqual([`2: ${problem}`])
})

test.each([
  ['0,0125', '0,5', '0.0125', '0.5'],
  ['1.234,5', '0,1', '1234.5', '0.1'],
  ['0.0125', '1,234.5', '0.0125', '1234.5'],
  ['0.123', '1.5', '0.123', '1.5'],
  ['1,234', '0,5', '1.234', '0.5'],
  ['€ 0.01', '0.02 EUR', '0.01', '0.02'],
  ['1.2E-03', '2', '0.0012', '2'],
  ['.5', '1 234.5', '0.5', '1234.5'],
])('the prices %j and %j show their decimal mark', async (one, other, first, second) => {
  expect(await ratesOf(`Code;Rate\n33;${one}\n34;${other}`)).toEqual([`2: 33 ${first}`, `3: 34 ${second}`])
})

test.each([
  ['one comma before three digits', '1,234', '2,345'],
  ['both marks', '0,5', '0.5'],
])('asks for the decimal mark: %s', async (_case, one, other) => {
  const sheet = `Code;Rate\n33;${one}\n34;${other}`

  expect(await questionsOf(sheet)).toEqual(['decimal: point or comma'])
})

test('an answered decimal mark is used', async () => {
  expect(await ratesOf('Code;Rate\n33;1,234', { decimal: 'comma' })).toEqual(['2: 33 1.234'])
  expect(await ratesOf('Code;Rate\n33;1,234', { decimal: 'point' })).toEqual(['2: 33 1234'])
  expect(await ratesOf('Code;Rate\n33;0.5', { decimal: 'comma' })).toEqual([
    '2: Rate: "0.5" is not a price with a decimal comma such as 0,0125',
  ])
})

const dated = (...dates: readonly string[]) =>
  `Code;Rate;Effective Date\n${dates.map((date, position) => `${30 + position};0.1;${date}`).join('\n')}`

const datesOf = async (...dates: readonly string[]) =>
  (await entriesOf(dated(...dates))).map(
    (entry) => 'cells' in entry && (entry.problem ?? entry.cells['effective_from']),
  )

test.each([
  ['2026-12-01', '2026-12-01 00:00:00'],
  ['2026/12/1', '2026-12-01 00:00:00'],
  ['20261201', '2026-12-01 00:00:00'],
  ['01.12.2026', '2026-12-01 00:00:00'],
  ['1-Dec-26', '2026-12-01 00:00:00'],
  ['December 1, 2026', '2026-12-01 00:00:00'],
  ['1st Sept 2026', '2026-09-01 00:00:00'],
  ['2026-12-01T06:30:00Z', '2026-12-01 06:30:00Z'],
  ['01.12.2026 6:30 PM', '2026-12-01 18:30:00'],
  ['2026-12-01 00:00:00 GMT +02:00', '2026-12-01 00:00:00+02:00'],
  ['46357', '2026-12-01 00:00:00'],
  ['immediately', ''],
  ['', ''],
])('the date %j', async (date, moment) => {
  expect(await datesOf(date)).toEqual([moment])
})

test('dates are read in the order that one of them shows', async () => {
  expect(await datesOf('01/12/2026', '13/12/26')).toEqual(['2026-12-01 00:00:00', '2026-12-13 00:00:00'])
  expect(await datesOf('12/01/2026', '12/13/26')).toEqual(['2026-12-01 00:00:00', '2026-12-13 00:00:00'])
})

test.each([
  ['no date shows it', ['01/12/2026', '02/12/2026']],
  ['dates contradict each other', ['13/12/2026', '12/13/2026']],
])('asks whether the day comes first: %s', async (_case, dates) => {
  expect(await questionsOf(dated(...dates))).toEqual(['dates: day-month or month-day'])
})

test.each([['31/02/2026'], ['2026-13-01'], ['soon']])('refuses the date %s', async (date) => {
  expect(await datesOf(date)).toEqual([
    `Effective Date: ${JSON.stringify(date)} is not a date such as 2026-12-31`,
  ])
})

test.each([
  ['60/60', '60', '60'],
  ['60/1', '60', '1'],
  ['30 + 6', '30', '6'],
  ['1 sec', '0', '1'],
  ['60s/60s', '60', '60'],
])('increments of %j', async (increments, minimum, step) => {
  const [entry] = await entriesOf(`Code;Rate;Billing Increment\n33;0.1;${increments}`)

  expect(entry).toMatchObject({ cells: { min_time: minimum, increment: step } })
})

test('increments of two columns, of the profile, and of none', async () => {
  const [both] = await entriesOf('Code;Rate;Min Time;Subsequent Increment\n33;0.1;30;6')
  const [told] = await entriesOf('Code;Rate\n33;0.1', { billing: '60/1' })
  const [plain] = await entriesOf('Code;Rate;Min Time;Increment;Connection Fee\n33;0.1;30;6;0.05')

  expect(both).toMatchObject({ cells: { min_time: '30', increment: '6' } })
  expect(told).toMatchObject({ cells: { min_time: '60', increment: '1' } })
  expect(plain).toMatchObject({ cells: { min_time: '30', increment: '6', con_fee: '0.05' } })
})

test('closed rows end their prefixes', async () => {
  const sheet = [
    'Code;Rate;Status;Effective Date',
    '33;0.1;Rate Increase;',
    '34;;CLOSED;',
    '35,36;0.1;code removed;2026-12-31',
    '37;closed;;',
  ].join('\n')

  expect(await ratesOf(sheet)).toEqual([
    '2: 33 0.1',
    '3: 34 ends',
    '4: 35 ends 2026-12-31 00:00:00',
    '4: 36 ends 2026-12-31 00:00:00',
    '5: 37 ends',
  ])
  expect((await read(sheet)).hasStatus).toBe(true)
})

test('rows are blocked by their status, by a word instead of a rate, or by the rate -1', async () => {
  const sheet = [
    'Code;Rate;Status',
    '33;0.1;Blocked',
    '34;BLOCKED;',
    '35;-1;',
    '36;-1.0000;unchanged',
    '37;-2;',
    '38;0.1;blocked and closed',
  ].join('\n')

  expect(await ratesOf(sheet)).toEqual([
    '2: 33 -1',
    '3: 34 -1',
    '4: 35 -1',
    '5: 36 -1',
    '6: Rate: "-2" is not a price with a decimal point such as 0.0125',
    '7: 38 ends',
  ])
})

test('asks for the meaning of an unknown status, and uses the answer', async () => {
  const sheet = 'Code;Rate;Status\n33;0.1;X\n34;0.1;new'

  expect(await questionsOf(sheet)).toEqual(['statuses: kept or ended or blocked'])
  expect(await ratesOf(sheet, { statuses: { x: 'ended' } })).toEqual(['2: 33 ends', '3: 34 0.1'])
})

test('asks whether codes of the same length are a range, or a country code with an area code', async () => {
  const sheet = 'Code;Rate\n7-9;0.1'

  expect(await questionsOf(sheet)).toEqual(['dash: range or country'])
  expect(await ratesOf(sheet, { dash: 'range' })).toEqual(['2: 7 0.1', '2: 8 0.1', '2: 9 0.1'])
  expect(await ratesOf(sheet, { dash: 'country' })).toEqual(['2: 79 0.1'])
})

test.each([
  ['a column', 'Code,Rate,Currency\n33,0.1,usd', 'USD'],
  ['the heading', 'Code,Rate (GBP)\n33,0.1', 'GBP'],
  ['the rates', 'Code,Rate\n33,0.1 CHF', 'CHF'],
  ['a title', 'All prices in SEK\nCode,Rate\n33,0.1', 'SEK'],
])('the currency is in %s', async (_case, sheet, currency) => {
  expect((await read(sheet)).profile.currency).toBe(currency)
})

test('asks for the currency, and refuses rows in another one', async () => {
  const sheet = 'Code,Rate,Currency\n33,0.1,USD\n34,0.1,EUR'

  expect(await questionsOf(sheet)).toEqual(['currency: USD or EUR'])
  expect(await ratesOf(sheet, { currency: 'USD' })).toEqual([
    '2: 33 0.1',
    '3: the rate is in EUR, the sheet in USD',
  ])
})

test('asks for the factor of a rate in cents, and multiplies by it', async () => {
  expect(await questionsOf('Code,Rate (ct/min)\n33,1.5')).toEqual(['rate_factor: 1 or 0.01 or 60'])
  expect(await ratesOf('Code,Rate (ct/min)\n33,1.5', { rate_factor: '0.01' })).toEqual(['2: 33 0.015'])
})

test.each([
  ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'The sheet is an .xls, or has a password'],
  ['an archive cut short', Buffer.from('504b030400', 'hex'), 'The workbook is damaged'],
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

test('the delimiter is found under unknown headings', async () => {
  const sheet = 'Land;Vorwahl;Preis\nGermany;49;0,02\nUK;44-7400,7401;0,05\n'
  const { questions } = await readSheet(Buffer.from(sheet), {})

  expect(questions[0]?.asks).toContain('["Land","Vorwahl","Preis"]')
})
