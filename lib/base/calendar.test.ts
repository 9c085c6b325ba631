import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ALL_TIME,
  addDays,
  countOfDays,
  dayOf,
  daysBefore,
  EVERY_DAY,
  firstOfMonth,
  formatDateTime,
  formatOffset,
  formatTime,
  hoursSince,
  isMoment,
  momentAt,
  momentFormatter,
  periodOfDay,
  periodOrToday,
  secondsOf,
  timestampOf,
  today,
  wallClock,
} from './calendar.ts'

const HOUR = 3600

test.each([
  ['an ordinary day in UTC', '2026-03-10', 'UTC', 24],
  ['the day on which summer time begins', '2026-03-29', 'Europe/Vilnius', 23],
  ['the day on which it ends', '2026-10-25', 'Europe/Vilnius', 25],
  ['the same west of UTC', '2026-03-08', 'America/New_York', 23],
  ['a zone that changes at midnight', '2024-03-31', 'Asia/Beirut', 23],
])('the length of a day: %s', (_case, day, zone, hours) => {
  const { from, till } = periodOfDay(day, zone)

  expect(till - from + 1).toBe(hours * HOUR)
  expect(dayOf(from, zone)).toBe(day)
  expect(dayOf(till, zone)).toBe(day)
  expect(dayOf(from - 1, zone)).toBe(addDays(day, -1))
  expect(dayOf(till + 1, zone)).toBe(addDays(day, 1))
})

test.each(['UTC', 'Europe/Vilnius', 'Pacific/Kiritimati', 'America/New_York'])(
  'in %s the last moment belongs to the last day',
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

test('today is the current day of the zone', () => {
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
])('the timestamp %j is read as %j', (text, expected) => {
  expect(timestampOf(text)).toBe(expected)
})

test('a moment is printed in the zone, with the offset at that moment', () => {
  const summer = Date.UTC(2026, 6, 1, 21, 5, 9) / 1000

  expect(formatDateTime(summer, 'Europe/Vilnius')).toBe('2026-07-02 00:05:09')
  expect(formatOffset(summer, 'Europe/Vilnius')).toBe('GMT +03:00')
  expect(formatOffset(summer, 'UTC')).toBe('GMT +00:00')
  expect(formatOffset(summer, 'America/St_Johns')).toBe('GMT -02:30')
})

test('the first day of a month, and the day after the last', () => {
  expect(firstOfMonth('2026-12-31')).toBe('2026-12-01')
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
})

const at = (iso: string) => Date.parse(iso) / 1000

test.each([
  ['an ordinary time', '2026-07-01', '00:05:09', '2026-06-30T21:05:09Z'],
  ['a time that summer time skips is read an hour later', '2026-03-29', '03:30:00', '2026-03-29T01:30:00Z'],
  ['a time that occurs twice means the first', '2026-10-25', '03:30:00', '2026-10-25T00:30:00Z'],
  ['a time just after the repeated hour', '2026-10-25', '04:00:00', '2026-10-25T02:00:00Z'],
])('%s', (_case, day, time, expected) => {
  expect(momentAt(day, time, 'Europe/Vilnius')).toBe(at(expected))
})

test.each([
  ['2026-02-30', '00:00:00'],
  ['2026-13-01', '00:00:00'],
  ['2026-01-01', '25:00:00'],
  ['2026-01-01', '24:00:00'],
  ['no day', '00:00:00'],
])('%s %s is not a moment', (day, time) => {
  expect(momentAt(day, time, 'UTC')).toBeUndefined()
})

test('formatting a moment and reading it back gives the same local time', () => {
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

test('the wall clock gives the day of the week in the zone', () => {
  expect(wallClock(at('2026-03-01T23:30:00Z'), 'UTC')).toEqual({
    day: '2026-03-01',
    time: '23:30:00',
    weekday: 7,
  })
  expect(wallClock(at('2026-03-01T23:30:00Z'), 'Asia/Tokyo')).toEqual({
    day: '2026-03-02',
    time: '08:30:00',
    weekday: 1,
  })
})

/** They include zones that change by half an hour, and one with an offset of odd seconds until 1972. */
const ZONES = [
  'UTC',
  'Europe/Vilnius',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Africa/Monrovia',
  'Asia/Kathmandu',
]

test('in a list in time order each moment is formatted as it is alone', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: 0, max: 2_000_000_000 }),
      fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 40 }),
      (zone, start, steps) => {
        const textOf = momentFormatter(zone)
        let moment = start
        for (const step of steps) {
          moment += step
          expect(textOf(moment)).toEqual({
            dateTime: formatDateTime(moment, zone),
            offset: formatOffset(moment, zone),
          })
        }
      },
    ),
  )
})

test.each([
  ['America/St_Johns', '2006-04-02T03:30:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
])('the formatter follows a change of the clocks in %s', (zone, change) => {
  const textOf = momentFormatter(zone)
  const at = Date.parse(change) / 1000
  for (let moment = at - 150; moment < at + 150; moment += 1) {
    expect(textOf(moment).dateTime).toBe(formatDateTime(moment, zone))
    expect(textOf(moment).offset).toBe(formatOffset(moment, zone))
  }
})

test('moments are from 1970 to 9999', () => {
  expect([-1, 0, 253_402_300_799, 253_402_300_800].map(isMoment)).toEqual([false, true, true, false])
  expect(ALL_TIME).toEqual({ from: 0, till: 253_402_300_799 })
})

test('part of a second does not count', () => {
  expect(secondsOf(new Date(1999))).toBe(1)
})

test.each([
  [0, 0],
  [3599, 0],
  [3600, 1],
  [7199, 1],
  [-7200, 0],
])('%i seconds are %i whole hours', (seconds, hours) => {
  expect(hoursSince(1000, 1000 + seconds)).toBe(hours)
})

test('a missing end of a period is that of today in the zone', () => {
  const now = new Date('2026-03-10T23:30:00Z')
  const [from, till] = [at('2026-03-10T15:00:00Z'), at('2026-03-11T14:59:59Z')]
  const periodOf = (ends: { from?: number; till?: number }) =>
    periodOrToday({ from: undefined, till: undefined, ...ends }, now, 'Asia/Tokyo')

  expect(periodOf({})).toEqual({ from, till })
  expect(periodOf({ from: 0 })).toEqual({ from: 0, till })
  expect(periodOf({ till: 0 })).toEqual({ from, till: 0 })
})

test('a time is printed in the zone', () => {
  expect(formatTime(at('2026-03-10T23:30:05Z'), 'Asia/Tokyo')).toBe('08:30:05')
})

test('a range of days has both of its ends, and as many days are before it', () => {
  const days = { from: '2026-02-27', till: '2026-03-02' }

  expect(countOfDays(days)).toBe(4)
  expect(daysBefore(days)).toEqual({ from: '2026-02-23', till: '2026-02-26' })
  expect(daysBefore({ from: '2026-03-01', till: '2026-03-01' })).toEqual({
    from: '2026-02-28',
    till: '2026-02-28',
  })
})

test('every day is between the first and the last one', () => {
  const { from, till } = EVERY_DAY

  expect(['1970-01-01', '2026-03-10', '9999-12-31'].filter((day) => from <= day && day <= till)).toHaveLength(
    3,
  )
})
