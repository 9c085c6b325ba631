import { expect, test } from 'vitest'
import { pricesOfSheet, questionsOfSheet, readSheetText } from '#test/datasets/sheets.ts'
import { readSheet } from './read-sheet.ts'

test.each([
  ['0,0125', '0,5', '0.0125', '0.5'],
  ['1.234,5', '0,1', '1234.5', '0.1'],
  ['0.0125', '1,234.5', '0.0125', '1234.5'],
  ['0.123', '1.5', '0.123', '1.5'],
  ['1,234', '0,5', '1.234', '0.5'],
  ['1.234', '9.876,5', '1234', '9876.5'],
  ['€ 0.01', '0.02 EUR', '0.01', '0.02'],
  ['1.2E-03', '2', '0.0012', '2'],
  ['.5', '1 234.5', '0.5', '1234.5'],
])('the prices %j and %j show their decimal mark', async (one, other, first, second) => {
  expect(await pricesOfSheet(`Code;Rate\n33;${one}\n34;${other}`)).toEqual([
    `2: 33 ${first}`,
    `3: 34 ${second}`,
  ])
})

test.each([
  ['one comma before three digits', '1,234', '2,345'],
  ['both marks', '0,5', '0.5'],
  ['a point before three digits next to a decimal comma', '1.234', '0,0125'],
  ['a comma before three digits next to a decimal point', '0.0125', '12,345'],
])('asks for the decimal mark: %s', async (_case, one, other) => {
  const sheet = `Code;Rate\n33;${one}\n34;${other}`

  expect(await questionsOfSheet(sheet)).toEqual(['decimal: point or comma'])
})

test.each([
  '-0.05',
  '(0.05)',
  '$(0.05)',
  '(0.05 USD)',
  '0.05-',
  '0.05- USD',
  '\u22120.05',
  '$\u20130.05',
  '0.05\u2212',
])('the price %s of a ledger is below 0, and is refused', async (price) => {
  expect(await pricesOfSheet(`Code;Rate\n33;${price}\n34;0.5 (USD)`)).toEqual([
    expect.stringMatching(/^2: Rate: .* is not a price with a decimal point such as 0.0125$/),
    '3: 34 0.5',
  ])
})

test('an answered decimal mark is used', async () => {
  expect(await pricesOfSheet('Code;Rate\n33;1,234', { decimal: 'comma' })).toEqual(['2: 33 1.234'])
  expect(await pricesOfSheet('Code;Rate\n33;1,234', { decimal: 'point' })).toEqual(['2: 33 1234'])
  expect(await pricesOfSheet('Code;Rate\n33;0.5', { decimal: 'comma' })).toEqual([
    '2: Rate: "0.5" is not a price with a decimal comma such as 0,0125',
  ])
})

test.each([
  ['a column', 'Code,Rate,Currency\n33,0.1,usd', 'USD'],
  ['the heading', 'Code,Rate (GBP)\n33,0.1', 'GBP'],
  ['the rates', 'Code,Rate\n33,0.1 CHF', 'CHF'],
  ['a sign in letters', 'Code;Rate\n33;0,1 zł', 'PLN'],
  ['a title', 'All prices in SEK\nCode,Rate\n33,0.1', 'SEK'],
])('the currency is in %s', async (_case, sheet, currency) => {
  expect((await readSheetText(sheet)).profile.currency).toBe(currency)
})

test('asks for the currency, and refuses rows in another one', async () => {
  const sheet = 'Code,Rate,Currency\n33,0.1,USD\n34,0.1,EUR'

  expect(await questionsOfSheet(sheet)).toEqual(['currency: USD or EUR'])
  expect(await pricesOfSheet(sheet, { currency: 'USD' })).toEqual([
    '2: 33 0.1',
    '3: the rate is in EUR, the sheet in USD',
  ])
})

test('a sign that several currencies have is not any other currency', async () => {
  const rates = (one: string, other: string) => `Code,Rate\n33,${one}\n34,${other}`

  expect((await readSheetText(rates('$0.1', 'US$ 0.2'))).profile.currency).toBe('USD')
  expect(await questionsOfSheet(rates('$0.1', '€0.2'))).toEqual(['currency: $ or EUR'])
  expect((await readSheetText('Code,Rate (CAD)\n33,$0.1')).profile.currency).toBe('CAD')
  expect(await questionsOfSheet('Code,Rate (EUR)\n33,$0.1')).toEqual(['currency: $ or EUR'])
  expect(await questionsOfSheet('Code,Rate (EUR)\n33,kr 0.1')).toEqual(['currency: kr or EUR'])
  expect(await pricesOfSheet(rates('$0.1', '€0.2'), { currency: 'CAD' })).toEqual([
    '2: 33 0.1',
    '3: the rate is in EUR, the sheet in CAD',
  ])
})

test('asks for the factor of a rate in cents, and multiplies by it', async () => {
  expect(await questionsOfSheet('Code,Rate (ct/min)\n33,1.5')).toEqual(['rate_factor: 1 or 0.01 or 60'])
  expect(await questionsOfSheet('Code,Price USc/min\n33,1.5')).toEqual(['rate_factor: 1 or 0.01 or 60'])
  expect(await pricesOfSheet('Code,Rate (ct/min)\n33,1.5', { rate_factor: '0.01' })).toEqual(['2: 33 0.015'])
})

test.each(['1.5¢', '1.5 cents', '1.5c', '1,5 ct', '1.5 USc', '1.5 p', '1.5%'])(
  'asks for the factor of the rate %s',
  async (cell) => {
    expect(await questionsOfSheet(`Code;Rate\n33;${cell}`)).toEqual(['rate_factor: 1 or 0.01 or 60'])
  },
)

test('the euro sign of Windows-1252 names the currency', async () => {
  const bytes = Buffer.from('Code,Rate\n33,\x80 0.01\n34,\x80 0.02', 'latin1')

  expect((await readSheet(bytes, {})).profile.currency).toBe('EUR')
})
