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

test.each([['31/02/2026'], ['2026-13-01'], ['26/12/01'], ['soon']])('refuses the date %s', async (date) => {
  expect(await datesOf(date)).toEqual([
    `Effective Date: ${JSON.stringify(date)} is not a date such as 2026-12-31`,
  ])
})

const sheetUntil = (end: string) => `Code;Rate;Effective Date;Valid To\n33;0.1;2026-01-01;${end}`

test.each([
  ['Valid To'],
  ['End Date'],
  ['Expiration'],
  ['Expiry Date'],
  ['Effective Till'],
  ['Valid Until'],
  ['Expires'],
  ['date_end'],
])('the end of a rate is read under %s', async (heading) => {
  const [entry] = await entriesOfSheet(`Code;Rate;${heading}\n33;0.1;2026-03-31`, { after_end: 'blocked' })

  expect(entry).toMatchObject({ cells: { ends_at: '2026-04-01 00:00:00', after_end: 'blocked' } })
})

test.each([
  ['2026-03-31', '2026-04-01 00:00:00'],
  ['31.12.2026', '2027-01-01 00:00:00'],
  ['2026-03-31 23:59:59', '2026-04-01 00:00:00'],
  ['2026-03-31T23:59Z', '2026-04-01 00:00:00Z'],
  ['2026-04-01 00:00:00', '2026-04-01 00:00:00'],
  ['2026-04-01 12:00', '2026-04-01 12:00:00'],
  ['', ''],
  ['-', ''],
  ['Until further notice', ''],
  ['9999-12-31', ''],
  ['immediately', undefined],
  ['soon', undefined],
])('a rate until %j', async (end, moment) => {
  const [entry] = await entriesOfSheet(sheetUntil(end), { after_end: 'fallback' })

  expect(entry).toMatchObject(
    moment === undefined
      ? { problem: `Valid To: "${end}" is not a date such as 2026-12-31` }
      : { cells: { ends_at: moment } },
  )
})

test('asks what happens after the end of a rate', async () => {
  expect(await questionsOfSheet(sheetUntil('2026-03-31'))).toEqual(['after_end: fallback or blocked'])
  expect(await questionsOfSheet(sheetUntil('none'))).toEqual([])
})
