import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addDays,
  dayOf,
  firstOfMonth,
  formatDateTime,
  formatOffset,
  momentAt,
  periodOfDay,
  timestampOf,
  today,
  wallClock,
} from './calendar.ts'

const HOUR = 3600

test.each([
  ['an ordinary day in UTC', '2026-03-10', 'UTC', 24],
  ['the day on which summer time begins', '2026-03-29', 'Europe/Vilnius', 23],
  ['the day on which it ends', '2026-10-25', 'Europe/Vilnius', 25],
  ['likewise west of UTC', '2026-03-08', 'America/New_York', 23],
  ['a zone that changes at midnight', '2024-03-31', 'Asia/Beirut', 23],
])('%s has its hours', (_case, day, zone, hours) => {
  const { from, till } = periodOfDay(day, zone)

  expect(till - from + 1).toBe(hours * HOUR)
  expect(dayOf(from, zone)).toBe(day)
  expect(dayOf(till, zone)).toBe(day)
  expect(dayOf(from - 1, zone)).toBe(addDays(day, -1))
  expect(dayOf(till + 1, zone)).toBe(addDays(day, 1))
})

test.each(['UTC', 'Europe/Vilnius', 'Pacific/Kiritimati', 'America/New_York'])(
  'the end of time, %s, is a moment of the last day',
  (zone) => {
    const end = 253_402_300_799

    expect(dayOf(end, zone)).toBe('9999-12-31')
    expect(formatDateTime(end, zone)).toMatch(/^9999-12-31 \d\d:59:59$/)
    expect(periodOfDay('9999-12-31', zone)).toEqual({
      from: momentAt('9999-12-31', '00:00:00', zone),
      till: end,
    })
  },
)

test('today is the day of the zone', () => {
  const now = new Date('2026-03-10T23:30:00Z')

  expect(today(now, 'UTC')).toBe('2026-03-10')
  expect(today(now, 'Asia/Tokyo')).toBe('2026-03-11')
  expect(today(now, 'America/New_York')).toBe('2026-03-10')
})

test.each([
  ['0', 0],
  [' 1760000000 ', 1_760_000_000],
  ['253402300799', 253_402_300_799],
  ['253402300800', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['', undefined],
  ['yesterday', undefined],
])('the timestamp %j is %j', (text, expected) => {
  expect(timestampOf(text)).toBe(expected)
})

test('moments are printed in the zone, with its offset then', () => {
  const summer = Date.UTC(2026, 6, 1, 21, 5, 9) / 1000

  expect(formatDateTime(summer, 'Europe/Vilnius')).toBe('2026-07-02 00:05:09')
  expect(formatOffset(summer, 'Europe/Vilnius')).toBe('GMT +03:00')
  expect(formatOffset(summer, 'UTC')).toBe('GMT +00:00')
  expect(formatOffset(summer, 'America/St_Johns')).toBe('GMT -02:30')
})

test('months begin on their first day', () => {
  expect(firstOfMonth('2026-12-31')).toBe('2026-12-01')
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
})

const at = (iso: string) => Date.parse(iso) / 1000

test.each([
  ['an ordinary time', '2026-07-01', '00:05:09', '2026-06-30T21:05:09Z'],
  ['a time that summer time skips is read an hour later', '2026-03-29', '03:30:00', '2026-03-29T01:30:00Z'],
  ['of a time that comes twice, the first', '2026-10-25', '03:30:00', '2026-10-25T00:30:00Z'],
  ['just after it', '2026-10-25', '04:00:00', '2026-10-25T02:00:00Z'],
])('%s', (_case, day, time, expected) => {
  expect(momentAt(day, time, 'Europe/Vilnius')).toBe(at(expected))
})

test.each([
  ['2026-02-30', '00:00:00'],
  ['2026-13-01', '00:00:00'],
  ['2026-01-01', '25:00:00'],
  ['2026-01-01', '24:00:00'],
  ['no day', '00:00:00'],
])('%s %s is no moment', (day, time) => {
  expect(momentAt(day, time, 'UTC')).toBeUndefined()
})

test('any moment is found again by the day and the time that clocks show', () => {
  const zones = fc.constantFrom(
    'UTC',
    'Asia/Kathmandu',
    'America/Havana',
    'Asia/Beirut',
    'Australia/Lord_Howe',
    'Pacific/Apia',
  )
  fc.assert(
    fc.property(fc.integer({ min: 86_400, max: 4_102_444_800 }), zones, (moment, zone) => {
      const [day = '', time = ''] = formatDateTime(moment, zone).split(' ')
      const found = momentAt(day, time, zone) ?? Number.NaN
      expect(formatDateTime(found, zone)).toBe(`${day} ${time}`)
      expect(found).toBeLessThanOrEqual(moment)
      expect(moment - found).toBeLessThanOrEqual(7200)
      const { from, till } = periodOfDay(day, zone)
      expect(from <= moment && moment <= till).toBe(true)
    }),
  )
})

test('the wall clock knows the day of the week', () => {
  expect(wallClock(at('2026-03-01T23:30:00Z'), 'UTC')).toEqual({ time: '23:30:00', weekday: 7 })
  expect(wallClock(at('2026-03-01T23:30:00Z'), 'Asia/Tokyo')).toEqual({ time: '08:30:00', weekday: 1 })
})
