import { DateTime } from 'luxon'
import { expect, test } from 'vitest'
import { readDate, readDateTime } from './moments.ts'

/** Three days after Berlin set its clocks forward, and three days before New York sets them back. */
const berlin = { firstImport: new Date('2026-04-01T10:00:00Z'), zone: 'Europe/Berlin' }
const newYork = { firstImport: new Date('2026-11-03T17:00:00Z'), zone: 'America/New_York' }

const utc = (seconds: number) =>
  DateTime.fromSeconds(seconds, { zone: 'utc' }).toISO({ suppressMilliseconds: true })

test.each([
  ['a clock time after the change', '@-3d 14:05:00', berlin, '2026-03-29T12:05:00Z'],
  ['a clock time before the change', '@-4d 14:05:00', berlin, '2026-03-28T13:05:00Z'],
  ['a clock time that the change skips', '@-3d 02:30:00', berlin, '2026-03-29T01:30:00Z'],
  ['a clock time that occurs twice', '@-2d 01:30:00', newYork, '2026-11-01T05:30:00Z'],
  ['a future day', '@+1d 00:00:00', berlin, '2026-04-01T22:00:00Z'],
  ['a day without a time', '@-1d', berlin, '2026-03-30T22:00:00Z'],
  ['elapsed seconds', '@now-90s', berlin, '2026-04-01T09:58:30Z'],
  ['elapsed days over the change', '@now-4d', berlin, '2026-03-28T10:00:00Z'],
  ['the moment itself', '@now', berlin, '2026-04-01T10:00:00Z'],
  ['a local date and time', '2026-07-01 12:00:00', berlin, '2026-07-01T10:00:00Z'],
  ['a date and time with an offset', '2026-07-01T12:00:00Z', berlin, '2026-07-01T12:00:00Z'],
])('a date and time is %s', (_case, cell, calendar, expected) => {
  expect(utc(readDateTime(cell, calendar))).toBe(expected)
})

test.each([
  ['2026-02-28', '2026-02-28'],
  ['2026-02-28 23:59:59', '2026-02-28'],
  ['2026-02-28T23:59:59Z', '2026-02-28'],
  ['@-1d', '2026-03-31'],
  ['@now', '2026-04-01'],
  ['@-1month', '2026-03-01'],
  ['@-4month', '2025-12-01'],
  ['@+9month', '2027-01-01'],
  ['@-1month-1d', '2026-02-28'],
  ['@-1month+14d 09:00:00', '2026-03-15'],
])('a date is %s', (cell, expected) => {
  expect(readDate(cell, berlin)).toBe(expected)
})

test.each([
  '',
  '@',
  '@-3',
  '@-3d 25:00:00',
  '@-1000month',
  '@yesterday',
  '2026-02-30 00:00:00',
  '12:00',
  '1969-12-31 23:59:59',
  '@-999999d',
])('a cell is not a date and time: "%s"', (cell) => {
  expect(() => readDateTime(cell, { ...berlin, zone: 'UTC' })).toThrow('takes YYYY-MM-DD HH:MM:SS')
})
