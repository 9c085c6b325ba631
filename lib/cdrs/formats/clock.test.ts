import fc from 'fast-check'
import { expect, test } from 'vitest'
import { momentAt } from '#lib/base/calendar.ts'
import { utc } from '#test/mediation/switch-documents.ts'
import { clockOf, type TimeField, timesOf } from './clock.ts'

const vilnius = clockOf('Europe/Vilnius')

test.each([
  ['', undefined],
  ['0', undefined],
  ['0.000000', undefined],
  ['0000', undefined],
  ['0000-00-00 00:00:00', undefined],
  ['1773119520', 1_773_119_520],
  ['1773119520.999', 1_773_119_520],
  ['1773119520999', 1_773_119_520],
  ['1773119520999999', 1_773_119_520],
  ['2026-03-10 12:00:00', utc('2026-03-10T10:00:00')],
  ['2026-07-10T12:00:00.5', utc('2026-07-10T09:00:00')],
  ['2026-03-10 12:00:00.123456', utc('2026-03-10T10:00:00')],
  ['2026-03-29 04:00:00', utc('2026-03-29T01:00:00')],
  ['2026/03/10 12:00:00', utc('2026-03-10T10:00:00')],
  ['2026-03-10T12:00:00Z', utc('2026-03-10T12:00:00')],
  ['2026-03-10T12:00:00+0530', utc('2026-03-10T06:30:00')],
  ['2026-03-10 12:00:00 -05:00', utc('2026-03-10T17:00:00')],
  ['2026-03-10 12:00:00 UTC', utc('2026-03-10T12:00:00')],
  ['2026-03-10 12:00:00.123456 UTC', utc('2026-03-10T12:00:00')],
  ['2026-03-10 12:00:00 GMT', utc('2026-03-10T12:00:00')],
  ['2026-03-10t12:00:00z', utc('2026-03-10T12:00:00')],
  ['2026-03-10 12:00:00 Z', utc('2026-03-10T12:00:00')],
  ['2026-03-10 12:00:00+00', utc('2026-03-10T12:00:00')],
  ['2026-03-10 12:00:00.123456+00', utc('2026-03-10T12:00:00')],
  ['2026-03-10 12:00:00 +0000', utc('2026-03-10T12:00:00')],
  ['2026-03-10 12:00:00 -05', utc('2026-03-10T17:00:00')],
  ['2026-03-10 12:00:00 UTC-05:00', utc('2026-03-10T17:00:00')],
  ['2026-03-10T12:00:00,5\u221205:00', utc('2026-03-10T17:00:00')],
  ['20260310120000', utc('2026-03-10T10:00:00')],
  ['20260310120000.5', utc('2026-03-10T10:00:00')],
  ['20260310120000123', utc('2026-03-10T10:00:00')],
  ['20260310120000Z', utc('2026-03-10T12:00:00')],
  ['20260310T120000+0530', utc('2026-03-10T06:30:00')],
  ['20260310 12:00:00', utc('2026-03-10T10:00:00')],
  ['2026-03-10 1:00:00', utc('2026-03-09T23:00:00')],
  ['2026-03-10 12:00:00 AM', utc('2026-03-09T22:00:00')],
  ['2026-03-10 01:00:00.5pm', utc('2026-03-10T11:00:00')],
  ['Tue, 10 Mar 2026 12:00:00 +0000', utc('2026-03-10T12:00:00')],
  ['Tue, 10 Mar 2026 12:00:00 +02:00', utc('2026-03-10T10:00:00')],
  ['Tue Mar 10 12:00:00 2026', utc('2026-03-10T10:00:00')],
  ['10-Mar-2026 12:00:00', utc('2026-03-10T10:00:00')],
  ['Mar 9, 2026, 1:05:48 PM', utc('2026-03-09T11:05:48')],
  ['9/March/2026:01:05:48 -0500', utc('2026-03-09T06:05:48')],
  ['*10:00:48.123 UTC Tue Mar 10 2026', utc('2026-03-10T10:00:48')],
])('%j', (text, moment) => {
  const exact = vilnius(text)
  expect(exact && Math.floor(exact)).toBe(moment)
})

test.each([
  ['1773119520.9', 0.9],
  ['1773119520999', 0.999],
  ['1773119520000001', 0.000_001],
  ['1773119520.999999999', 0.999_999],
  ['2026-03-10 07:12:00.25', 0.25],
  ['2026-03-10T05:12:00,5Z', 0.5],
  ['20260310071200123', 0.123],
  ['2026-03-10 07:12:00', 0],
])('%j has a fraction of a second', (text, fraction) => {
  expect(vilnius(text)).toBe(1_773_119_520 + fraction)
})

const times = (fields: Partial<Record<Parameters<TimeField>[0], string>>) => {
  const { start, duration, billsec } = timesOf((name) => fields[name] ?? '', vilnius)
  return [start - 1_773_119_520, duration, billsec]
}

const AT = '2026-03-10 07:12'

test.each([
  [
    'from the answer to the end',
    { start: `${AT}:00.100`, answer: `${AT}:00.100`, end: `${AT}:01.000` },
    1,
    1,
  ],
  ['within a second', { start: `${AT}:00.000`, answer: `${AT}:00.000`, end: `${AT}:00.900` }, 1, 1],
  ['over a second', { start: `${AT}:00.900`, answer: `${AT}:00.900`, end: `${AT}:01.100` }, 1, 1],
  ['a millisecond too many', { start: `${AT}:00.000`, answer: `${AT}:00.000`, end: `${AT}:59.001` }, 60, 60],
  [
    'whole seconds between fractions',
    { start: `${AT}:00.700`, answer: `${AT}:05.300`, end: `${AT}:35.300` },
    35,
    30,
  ],
  ['Unix milliseconds', { start: '1773119520000', answer: '1773119520000', end: '1773119580900' }, 61, 61],
  ['an end to whole seconds', { start: `${AT}:00.900`, answer: `${AT}:00.900`, end: `${AT}:00` }, 0, 0],
  ['a length with its fraction', { start: `${AT}:00`, duration: '60.25', billsec: '60.25' }, 61, 61],
  ['a duration that was cut', { start: `${AT}:00`, duration: '60', billsec: '60.9' }, 61, 61],
  [
    'a duration that was cut, and moments',
    { start: `${AT}:00`, answer: `${AT}:00.0`, end: `${AT}:59.9`, duration: '59' },
    60,
    60,
  ],
  [
    'the seconds that the switch bills by',
    { start: `${AT}:00`, answer: `${AT}:00.0`, end: `${AT}:59.9`, duration: '60', billsec: '59' },
    60,
    59,
  ],
  [
    'a duration with its fraction and an answer',
    { start: `${AT}:00.0`, answer: `${AT}:00.5`, duration: '60.25' },
    61,
    60,
  ],
])('a second that has begun counts: %s', (_what, fields, duration, billsec) => {
  expect(times(fields)).toEqual([0, duration, billsec])
})

test('more billed seconds than the call lasted are not corrected', () => {
  expect(times({ start: `${AT}:00`, duration: '60', billsec: '61' })).toEqual([0, 60, 61])
  expect(() => times({ start: `${AT}:01.1`, answer: `${AT}:01.1`, end: `${AT}:00.9` })).toThrow(
    'ends before it begins',
  )
})

test.each([
  '2026-02-30 12:00:00',
  '2026-03-10 24:00:01',
  '2026-03-10 12:60:00',
  '12:00',
  '-5',
  '10.03.2026 12:00',
  '10.03.2026 12:00:00',
  '03/10/2026 12:00:00 PM',
  '2026-03-10',
  '2026-03-10 12:00',
  '2026-03-10 13:00:00 PM',
  '10 Mar 2026 13:00:00 AM',
  '10 Mar 26 12:00:00',
  '10 Marz 2026 12:00:00',
  '10 Mar 2026 12:00:00 CET',
  '10 Mar 11 2026 12:00:00',
  '31 Feb 2026 12:00:00',
  '2026-03-10 12:00:00 EST',
  '2026-03-10 12:00:00+99',
  '2026-03-10 12:00:00+1',
  '2026-03-10 12:00:00 UTC+',
  '20261310120000',
  '20260310250000',
  '10032026120000',
  '1969-03-10 12:00:00',
  '1969-03-10 20:00:00',
  '2026-13-10 12:00:00',
  '2026-00-10 12:00:00',
  '2026-03-00 12:00:00',
  '2012026-03-10 12:00:00',
  '2026-03-10 12:00:00 or later',
  'at 1773119520',
  '0x',
  '2100-03-10 12:00:00',
])('%j is not a time', (text) => {
  expect(() => vilnius(text)).toThrow(`${JSON.stringify(text)} is not a time`)
})

test.each([
  ['11/22/2026 22:00', 'it has no seconds'],
  ['2026-03-10 12:00', 'it has no seconds'],
  ['45:00.0', 'it has no seconds'],
  ['2026-03-10 12:00:00 CET', 'write it as 2026-03-10 12:00:00 +02:00'],
  ['46348.41722', 'write it as 2026-03-10 12:00:00 +02:00'],
])('%j is refused with the remedy', (text, remedy) => {
  expect(() => vilnius(text)).toThrow(remedy)
})

test('a text after a known hour is not taken for minutes and seconds', () => {
  vilnius('2026-03-10 12:00:00')
  expect(() => vilnius('2026-03-10 12x:05:59')).toThrow('"2026-03-10 12x:05:59" is not a time')
})

test('an unknown zone is an error of the caller, not a problem of the CDR', () => {
  expect(() => clockOf('Nowhere')('2026-03-10 12:00:00')).toThrow('"Nowhere" is not a time zone')
  expect(clockOf('')('1773119520')).toBe(1_773_119_520)
})

test('the hour of a clock change is not extrapolated', () => {
  const newYork = clockOf('America/St_Johns')
  expect(newYork('2005-04-03 00:00:30')).toBe(utc('2005-04-03T03:30:30'))
  expect(newYork('2005-04-03 01:30:00')).toBe(utc('2005-04-03T04:00:00'))
  expect(newYork('2005-04-03 01:30:00')).toBe(utc('2005-04-03T04:00:00'))
  expect(vilnius('2026-10-25 03:30:00')).toBe(utc('2026-10-25T00:30:00'))
})

test('the clock agrees with the calendar in any order of lookups', () => {
  const zones = [
    'Europe/Vilnius',
    'America/St_Johns',
    'America/Boa_Vista',
    'Africa/Casablanca',
    'Pacific/Apia',
    'UTC',
  ]
  const minutes = fc.oneof(
    fc.integer({ min: Date.UTC(1970, 0, 2) / 60_000, max: Date.UTC(2100, 0) / 60_000 - 1 }),
    fc.integer({ min: Date.UTC(2000, 8, 30) / 60_000, max: Date.UTC(2000, 9, 31) / 60_000 }),
    fc.integer({ min: Date.UTC(2026, 2, 28) / 60_000, max: Date.UTC(2026, 2, 30) / 60_000 }),
  )

  fc.assert(
    fc.property(fc.constantFrom(...zones), minutes, (zone, minute) => {
      const [day = '', time = ''] = new Date(minute * 60_000).toISOString().slice(0, 19).split('T')
      expect(clockOf(zone)(`${day} ${time}`) ?? 0).toBe(momentAt(day, time, zone))
    }),
    { numRuns: 3000 },
  )
})

const madrid = clockOf('Europe/Madrid')

const inMadrid = (fields: Readonly<Record<string, string>>) => () =>
  timesOf((name) => fields[name] ?? '', madrid)

test.each([
  ['the end tells the answer', { start: '02:59:30', answer: '02:59:40', end: '02:00:40' }, 60],
  ['the end shows an earlier time', { start: '02:50:00', answer: '02:50:00', end: '02:10:00' }, 1200],
  ['all times fit into one of both hours', { start: '02:10:00', answer: '02:10:00', end: '02:11:00' }, 60],
  [
    'the duration tells the answer',
    { start: '02:49:00', answer: '02:50:00', end: '03:10:00', duration: '1260' },
    1200,
  ],
  [
    'the duration tells the longer one',
    { start: '02:49:00', answer: '02:50:00', end: '03:10:00', duration: '4860' },
    4800,
  ],
  ['no phone rings for an hour', { start: '01:59:50', answer: '02:00:00', end: '03:00:00' }, 7200],
  ['no time occurs twice', { start: '01:30:00', answer: '01:30:00', end: '03:30:00' }, 10_800],
  [
    'the offset is written',
    { start: '02:50:00 +02:00', answer: '02:50:00 +02:00', end: '03:10:00 +01:00' },
    4800,
  ],
])('where the clocks go back, %s', (_what, times, billsec) => {
  const fields = Object.fromEntries(
    Object.entries(times).map(([name, text]) => [name, name === 'duration' ? text : `2026-10-25 ${text}`]),
  )
  expect(inMadrid(fields)()).toMatchObject({ billsec })
})

test.each([
  [{ start: '02:50:00', answer: '02:50:00', end: '03:10:00' }, '4800 or 1200 seconds'],
  [{ start: '01:50:00', answer: '01:50:00', end: '02:10:00' }, '1200 or 4800 seconds'],
  [{ start: '02:50:00', end: '03:10:00.5' }, '4801 or 1201 seconds'],
])('where the clocks go back, %j is not guessed', (times, lengths) => {
  const fields = Object.fromEntries(Object.entries(times).map(([name, text]) => [name, `2026-10-25 ${text}`]))

  expect(inMadrid(fields)).toThrow(
    expect.objectContaining({ values: expect.objectContaining({ reason: 'ambiguous_time' }) }),
  )
  expect(inMadrid(fields)).toThrow(lengths)
})
