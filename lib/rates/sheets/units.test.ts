import { expect, test } from 'vitest'
import { entriesOfSheet, pricesOfSheet, questionsOfSheet, readSheetText } from '#test/datasets/sheets.ts'

test.each([
  ['Rate per second', '60'],
  ['Rate (per 6 sec)', '10'],
  ['Rate per 100 min', '0.01'],
  ['Rate per 1000 minutes', '0.001'],
  ['Rate (ppm)', '0.01'],
  ['Rate (milli EUR)', '0.001'],
  ['Pence per minute', '0.01'],
  ['Rate per call', 'call'],
  ['Rate incl. VAT', '1/1.2'],
  ['Price per hour', '1/60'],
  ['Rate per pulse', '60'],
])('rates under %s are asked about, and %s is among the answers', async (heading, factor) => {
  const sheet = `Destination,Code,${heading}\nFrance,33,1.2\n`
  const [first, ...others] = await questionsOfSheet(sheet)
  expect(first).toMatch(/^rate_factor: /)
  expect(first?.split(': ')[1]?.split(' or ')).toContain(factor)
  expect(others).toEqual([])
  const columns = { prefix: 'Code', tariff_rate: heading }
  expect((await readSheetText(sheet, { columns })).questions).toMatchObject([{ about: 'rate_factor' }])
  expect((await readSheetText(sheet, { columns, rate_factor: factor })).questions).toEqual([])
})

test.each([
  'Destination,Dial Code,Rate per minute',
  'Prefix,Rate ($USD per minute),Cost center',
  'Code,Cost/Min,Connection Cost',
  'code,increment,rate_minute',
  'Prefix,Price excl. VAT',
])('the rates of %s are of a minute', async (header) => {
  const width = header.split(',').length
  const cells = header
    .split(',')
    .map((name) => (/code|prefix/i.test(name) && !/center/.test(name) ? '33' : '1'))
  expect(cells).toHaveLength(width)
  expect(
    (await questionsOfSheet(`${header}\n${cells.join(',')}\n`)).filter((one) => /factor/.test(one)),
  ).toEqual([])
})

test('a fraction is a factor, and the price of a call is that of its connection', async () => {
  const hours = 'Code,Rate per hour\n33,1.2\n34,1\n'
  expect(await pricesOfSheet(hours, { rate_factor: '1/60' })).toEqual([
    '2: 33 0.02',
    '3: 34 0.016666666666667',
  ])
  const [call] = await entriesOfSheet('Code,Rate per call\n33,1.2\n', { rate_factor: 'call' })
  expect(call).toMatchObject({ cells: { tariff_rate: '0', con_fee: '1.2' } })
  await expect(readSheetText(hours, { rate_factor: '1/0' })).resolves.toBeDefined()
})

test('the factor of rates of a second is not one of fees, and that of cents is', async () => {
  const seconds = 'Code,Rate per second,Connection Fee\n33,0.0002,0.05\n'
  expect((await readSheetText(seconds, { rate_factor: '60' })).questions).toMatchObject([
    { about: 'fee_factor', choices: ['1', '0.01'] },
  ])
  const [own] = await entriesOfSheet(seconds, { rate_factor: '60', fee_factor: '1' })
  expect(own).toMatchObject({ cells: { tariff_rate: '0.012', con_fee: '0.05' } })
  const [cents] = await entriesOfSheet('Code,Rate (ct),Connection Fee\n33,2,5\n', { rate_factor: '0.01' })
  expect(cents).toMatchObject({ cells: { tariff_rate: '0.02', con_fee: '0.05' } })
  expect(await questionsOfSheet('Code,Rate,Connection Fee (pence)\n33,2,5\n')).toEqual([
    'fee_factor: 1 or 0.01',
  ])
})

test.each(['from 0.03', '0.012*', '~0.03', '0.03 (new)', '0.03 ab 1.1.'])(
  'the price of %j is asked about',
  async (cell) => {
    const questions = await questionsOfSheet(`Code,Rate\n33,${cell}\n34,0.02\n`)
    expect(questions.filter((one) => one.startsWith('notes'))).toEqual(
      cell.includes('1.1') ? [] : ['notes: price or refused'],
    )
  },
)

test('the answer to a note is the price or a refusal', async () => {
  const sheet = 'Code,Rate\n33,from 0.03\n34,0.012*\n35,USD 0.04\n36,0.04/min\n37,0.3 USD/min\n'
  expect((await readSheetText(sheet)).questions).toMatchObject([
    { asks: expect.stringContaining('"from 0.03" in line 2, "0.012*" in line 3'), words: ['from', '*'] },
  ])
  expect(await pricesOfSheet(sheet, { notes: { from: 'refused', '*': 'price' } })).toEqual([
    '2: Rate: "from 0.03" is not a plain price',
    '3: 34 0.012',
    '4: 35 0.04',
    '5: 36 0.04',
    '6: 37 0.3',
  ])
})

test('of two columns of one heading, or of an equal name, one is asked for by its position', async () => {
  const twice =
    'Destination,Code,Rate,Effective Date,Rate,Effective Date\nFrance,33,0.010,2026-01-01,0.012,2026-12-01\n'
  expect(await questionsOfSheet(twice)).toEqual([
    'columns.tariff_rate: #3 or #5',
    'columns.effective_from: #4 or #6',
  ])
  expect(await pricesOfSheet(twice, { columns: { tariff_rate: '#5', effective_from: '#6' } })).toEqual([
    '2: 33 0.012',
  ])
  expect((await readSheetText(twice, { columns: { tariff_rate: 'Rate' } })).questions).toMatchObject([
    { about: 'columns.tariff_rate' },
    {},
  ])
  const { profile } = await readSheetText(twice, { columns: { tariff_rate: '#5', effective_from: '#6' } })
  expect(profile.columns).toEqual({
    prefix: 'Code',
    destination: 'Destination',
    tariff_rate: '#5',
    effective_from: '#6',
  })

  const levels =
    ',,Current,Current,New,New\nDestination,Code,Rate,Increment,Rate,Increment\nFrance,33,0.010,60/60,0.012,1/1\n'
  const { questions } = await readSheetText(levels)
  expect(questions[0]?.asks).toBe(
    'Which column is the rate: #3 ("Rate" below "Current"), #5 ("Rate" below "New")?',
  )
  expect(await questionsOfSheet('Code,Rate (EUR),Rate (USD)\n33,0.01,0.02\n')).toContain(
    'columns.tariff_rate: Rate (EUR) or Rate (USD)',
  )
  expect(await questionsOfSheet('Code,Rate,Price\n33,0.01,0.02\n')).toEqual([
    'columns.tariff_rate: Rate or Price',
  ])
  expect(await questionsOfSheet('Dial Code,Destination Code,Rate\n33,34,0.01\n')).toEqual([
    'columns.prefix: Dial Code or Destination Code',
  ])
})

test.each([
  'Code,Rate,Rate\n33,0.01,0.01\n',
  'Code,Rate,New Rate\n33,0.01,0.02\n',
  'Code,Rate,Rate\n33,0.01,\n',
  'Country Code,Area Code,Rate\n33,1,0.02\n',
  'Code,Rate,Comment,Comment\n33,0.01,a,b\n',
])('no column is asked for in %j', async (sheet) => {
  expect((await questionsOfSheet(sheet)).filter((one) => one.startsWith('columns.'))).toEqual([])
})

const datesOf = async (heading: string, zone?: string) =>
  (
    await entriesOfSheet(`Code,Rate,${heading}\n33,0.01,2026-07-01\n`, zone === undefined ? {} : { zone })
  ).map((entry) => 'cells' in entry && entry.cells['effective_from'])

test('dates are in the zone of their heading, and an unknown one is asked for', async () => {
  expect(await datesOf('Effective Date (UTC)')).toEqual(['2026-07-01 00:00:00Z'])
  expect(await datesOf('Valid From [Europe/Madrid]')).toEqual(['2026-06-30 22:00:00Z'])
  expect(await datesOf('Effective Date')).toEqual(['2026-07-01 00:00:00'])
  expect(await questionsOfSheet('Code,Rate,Effective Date (CST)\n33,0.01,2026-07-01\n')).toEqual([
    'zone: installation or UTC',
  ])
  expect(await datesOf('Effective Date (CST)', 'Asia/Shanghai')).toEqual(['2026-06-30 16:00:00Z'])
  expect(await datesOf('Effective Date (CST)', 'installation')).toEqual(['2026-07-01 00:00:00'])
  const both = 'Code,Rate,Effective Date,Effective Date (GMT)\n33,0.01,2026-07-01,2026-07-02\n'
  expect(await questionsOfSheet(both)).toEqual([])
})
