import { expect, test } from 'vitest'
import { entriesOfSheet, pricesOfSheet, questionsOfSheet, readSheetText } from '#test/datasets/sheets.ts'

test.each([
  'Billing Increment (s)',
  'Increment in seconds',
  'Min/Inc',
  'Min/Incr (sec)',
  'Charging Increment',
  'Billing Cycle',
  'Billing Structure',
  'Billing Type',
  'Billing Rule',
  'Rounding Rule',
  'Round',
  'Interval 1/Interval N',
  'Init/Incr',
  'Billing Pulse (sec/sec)',
  'Minimum Increment',
  'Initial/Subsequent',
])('increments are read under the heading %s', async (heading) => {
  const [entry] = await entriesOfSheet(`Code;Rate;${heading}\n33;0.1;60/6`)

  expect(entry).toMatchObject({ cells: { min_time: '60', increment: '6' } })
})

test.each([
  ['Interval 1;Interval N'],
  ['Rate_Minimum;Rate_Increment'],
  ['Connect Increment;Talk Increment'],
  ['Minimum Duration;Increment'],
  ['initblock;billingblock'],
  ['Min;Int'],
])('minimum and increment are read under the headings %s', async (headings) => {
  const [entry] = await entriesOfSheet(`Code;Rate;${headings}\n33;0.1;30;6`)

  expect(entry).toMatchObject({ cells: { min_time: '30', increment: '6' } })
})

test.each([
  ['per second', '0', '1'],
  ['Per Minute', '0', '60'],
])('increments of %j', async (text, min_time, increment) => {
  const [entry] = await entriesOfSheet(`Code;Rate;Billing\n33;0.1;${text}`)

  expect(entry).toMatchObject({ cells: { min_time, increment } })
})

test('asks about values that look like increments under an unknown heading', async () => {
  const sheet = 'Code;Rate;Terms\n33;0.1;60/60\n34;0.1;30/6'
  const [first] = await entriesOfSheet(sheet, { columns: { billing: 'Terms' } })

  expect(await questionsOfSheet(sheet)).toEqual(['columns.billing: Terms or none'])
  expect(first).toMatchObject({ cells: { min_time: '60', increment: '60' } })
  expect(await pricesOfSheet(sheet, { columns: { billing: 'none' } })).toEqual(['2: 33 0.1', '3: 34 0.1'])
  expect(await pricesOfSheet(sheet, { billing: '1/1' })).toEqual(['2: 33 0.1', '3: 34 0.1'])
})

test.each(['60-1', '30:6', '1 - 1', '60-60'])(
  'asks about %s under any heading, but not about hours',
  async (pair) => {
    expect(await questionsOfSheet(`Code;Rate;Taxation\n33;0.1;${pair}`)).toEqual([
      'columns.billing: Taxation or none',
    ])
    expect(await questionsOfSheet('Code;Rate;Hours\n33;0.1;10-18')).toEqual([])
  },
)

test('asks about whole numbers under a heading that sounds like increments', async () => {
  expect(await questionsOfSheet('Code;Rate;Carrier pulse length\n33;0.1;60')).toEqual([
    'columns.billing: Carrier pulse length or none',
  ])
})

test.each(['1-Jan', '1min/1sec', '(60/60)'])(
  'asks about a column of increments that cannot be read: %s',
  async (value) => {
    const sheet = `Code;Rate;Minimum;Billing Increment\n33;0.1;1;${value}`
    const answer = { columns: { billing: 'Billing Increment' } }

    expect(await questionsOfSheet(sheet)).toEqual(['columns.billing: Billing Increment or none'])
    expect(await pricesOfSheet(sheet, answer)).toEqual([
      `2: Billing Increment: "${value}" is not increments in seconds such as 60/60`,
    ])
  },
)

test('a column of increments in name only is not used', async () => {
  const { profile, unused } = await readSheetText('Code;Rate;Billing Type;Rounding\n33;0.1;Prepaid;60/60')

  expect(profile.columns).toEqual({ prefix: 'Code', tariff_rate: 'Rate', billing: 'Rounding' })
  expect(unused).toEqual(['Billing Type'])
})

test('rates of inbound calls are skipped, and a direction of calls is not a country', async () => {
  const sheet = 'prefix;rate;direction;country\n44;0.1;outbound;UK\n33;0.2;inbound;France\n34;0.3;;Spain'
  const { inbound, profile } = await readSheetText(sheet)

  expect(await pricesOfSheet(sheet)).toEqual(['2: 44 0.1', '4: 34 0.3'])
  expect(inbound).toBe(1)
  expect(profile.columns?.direction).toBe('country')
})

test.each([
  ['LCR_Direction', 'inbound', 'local'],
  ['Type', 'Origination', 'Termination'],
  ['Service', 'IN', 'OUT'],
])('the direction of calls may be under %s', async (heading, inbound, outbound) => {
  const sheet = `Code;Rate;${heading}\n44;0.1;${outbound}\n33;0.2;${inbound}`

  expect(await pricesOfSheet(sheet)).toEqual(['2: 44 0.1'])
})

test('a country whose ISO code is IN is not a direction of calls', async () => {
  expect(await pricesOfSheet('Code;Rate;Country\n91;0.1;IN')).toEqual(['2: 91 0.1'])
})
