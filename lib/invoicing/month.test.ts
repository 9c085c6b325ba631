import { expect, test } from 'vitest'
import { addDays, countOfDays, dayOf, monthOf, periodOfDay } from '#lib/base/calendar.ts'
import { ZONES_OF_TESTS as ZONES } from '#test/invoicing/a-month.ts'
import {
  addMonths,
  daysBetween,
  daysOfMonth,
  isMonth,
  isMonthOver,
  lastMonthBefore,
  monthInWords,
  periodOfMonth,
} from './month.ts'

const dateAt = (seconds: number): Date => new Date(seconds * 1000)

test('the days of a period include both ends, over the end of a month', () => {
  expect([...daysBetween({ from: '2028-02-28', till: '2028-03-01' })]).toEqual([
    '2028-02-28',
    '2028-02-29',
    '2028-03-01',
  ])
  expect([...daysBetween({ from: '2028-03-01', till: '2028-02-28' })]).toEqual([])
})

const daysIn = (month: string): string[] => {
  const days = daysOfMonth(month)
  return Array.from({ length: countOfDays(days) }, (_, index) => addDays(days.from, index))
}

test.each(['2026-01', '2026-03', '2026-05'])(
  'on every day of %s, the month before is the same (IvozProvider #943)',
  (month) => {
    const before = monthOf(addDays(`${month}-01`, -1))
    for (const zone of ZONES)
      for (const day of daysIn(month)) {
        const { from, till } = periodOfDay(day, zone)
        for (const now of [from, till].map(dateAt)) {
          expect([day, lastMonthBefore(now, zone)]).toEqual([day, before])
          expect([isMonthOver(before, now, zone), isMonthOver(month, now, zone)]).toEqual([true, false])
        }
      }
  },
)

test.each(ZONES)(
  'in %s, months follow each other without a gap, with both clock changes (Yeti PR #769)',
  (zone) => {
    const months = Array.from({ length: 12 }, (_, index) => `2026-${String(index + 1).padStart(2, '0')}`)
    let end = periodOfMonth('2025-12', zone).till
    for (const month of months) {
      const { from, till } = periodOfMonth(month, zone)
      expect(from).toBe(end + 1)
      expect([dayOf(from, zone), dayOf(till, zone)]).toEqual(Object.values(daysOfMonth(month)))
      const hours = (till + 1 - from) / 3600 - 24 * countOfDays(daysOfMonth(month))
      expect([-1, 0, 1]).toContain(hours)
      end = till
    }
  },
)

test('months are counted over years, and named', () => {
  expect([
    addMonths('2026-01', -1),
    addMonths('2026-12', 1),
    addMonths('2026-05', -17),
    addMonths('0999-01', 1),
  ]).toEqual(['2025-12', '2027-01', '2024-12', '0999-02'])
  expect(daysOfMonth('2028-02')).toEqual({ from: '2028-02-01', till: '2028-02-29' })
  expect(['2026-05', '2026-5', '2026-13', '2026-00', '2026-10', '2026-051', 'x2026-05'].map(isMonth)).toEqual(
    [true, false, false, false, true, false, false],
  )
  const months = Array.from({ length: 12 }, (_, index) => monthInWords(addMonths('2026-01', index)))
  expect(months).toEqual(
    Array.from({ length: 12 }, (_, index) =>
      new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric' }).format(new Date(2026, index, 1)),
    ),
  )
})
