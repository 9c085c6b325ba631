import { expect, test } from 'vitest'
import { pricesOfSheet, questionsOfSheet } from '#test/datasets/sheets.ts'

test.each([
  ['Destination,Dial Code,Rate'],
  ['Zone,Area Code,Price'],
  ['Zone Name,PREFIX,New Rate'],
  ['Country,Country Code,Rate (USD/min)'],
  ['Area Name,Dialling codes,USD per minute'],
  ['Name,E.164,Rate per minute'],
  ['Destination Name,Codes,Sell rate'],
  ['DestinationName,DialCode,RatePerMinute'],
])('columns are found under the names %s', async (header) => {
  expect(await pricesOfSheet(`${header}\nFrance,33,0.0125`)).toEqual(['2: 33 0.0125'])
})

test('columns are found under the headings of the profile', async () => {
  const sheet = 'Vorwahl;Preis alt;Preis neu\n33;0.1;0.2'

  expect(await questionsOfSheet(sheet)).toEqual(['columns: '])
  expect(
    await pricesOfSheet(sheet, { delimiter: ';', columns: { prefix: 'Vorwahl', tariff_rate: 'preis neu' } }),
  ).toEqual(['2: 33 0.2'])
})
