import fc from 'fast-check'
import { expect, test } from 'vitest'
import { momentAt } from '#lib/base/calendar.ts'
import { utc } from '#test/mediation/switch-documents.ts'
import { clockOf } from './clock.ts'

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
])('%j', (text, moment) => {
  expect(vilnius(text)).toBe(moment)
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
  '2026-03-10 1:00:00',
  '2026-03-10 12:00:00 PM',
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

test('a text behind a known hour is not taken for minutes and seconds', () => {
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
    fc.integer({ min: Date.UTC(1970, 0) / 60_000, max: Date.UTC(2100, 0) / 60_000 - 1 }),
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
