import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDateTime, formatOffset } from './calendar.ts'
import { momentTexts } from './moment-text.ts'

/** Zones that change at midnight, at a minute past it, by half an hour, and one of odd seconds until 1972. */
const ZONES = [
  'UTC',
  'Europe/Vilnius',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Africa/Monrovia',
  'Asia/Kathmandu',
]

test('a list in time order prints each moment as it would alone', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: 0, max: 2_000_000_000 }),
      fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 40 }),
      (zone, start, steps) => {
        const textOf = momentTexts(zone)
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
])('over a change of the clocks in %s as well', (zone, change) => {
  const textOf = momentTexts(zone)
  const at = Date.parse(change) / 1000
  for (let moment = at - 150; moment < at + 150; moment += 1) {
    expect(textOf(moment).dateTime).toBe(formatDateTime(moment, zone))
    expect(textOf(moment).offset).toBe(formatOffset(moment, zone))
  }
})
