import { expect, test } from 'vitest'
import { entriesOfSheet, questionsOfSheet } from '#test/datasets/sheets.ts'

const dated = (...dates: readonly string[]) =>
  `Code;Rate;Effective Date\n${dates.map((date, index) => `${30 + index};0.1;${date}`).join('\n')}`

const datesOf = async (...dates: readonly string[]) =>
  (await entriesOfSheet(dated(...dates))).map(
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
  expect(await questionsOfSheet(dated(...dates))).toEqual(['dates: day-month or month-day'])
})

test.each([['31/02/2026'], ['2026-13-01'], ['soon']])('refuses the date %s', async (date) => {
  expect(await datesOf(date)).toEqual([
    `Effective Date: ${JSON.stringify(date)} is not a date such as 2026-12-31`,
  ])
})
