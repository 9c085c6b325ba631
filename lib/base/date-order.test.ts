import { expect, test } from 'vitest'
import { isYearLast, withYearFirst } from './date-order.ts'

test.each([
  ['11/22/2026 10:00:48 PM', 'month-day', '2026-11-22 22:00:48'],
  ['11/22/2026 12:00:48 AM', 'month-day', '2026-11-22 00:00:48'],
  ['11/22/2026 12:00:48PM', 'month-day', '2026-11-22 12:00:48'],
  ['1/2/2026 1:00:48 p.m.', 'day-month', '2026-02-01 13:00:48'],
  ['22.11.2026 22:00:48.5 +01:00', 'day-month', '2026-11-22 22:00:48.5 +01:00'],
  ['22-11-2026T22:00:48Z', 'day-month', '2026-11-22 22:00:48Z'],
  ['11/22/2026, 22:00:48 UTC', 'month-day', '2026-11-22 22:00:48 UTC'],
] as const)('%s by %s is %s', (text, order, time) => {
  expect(isYearLast(text)).toBe(true)
  expect(withYearFirst(text, order)).toBe(time)
})

test.each([
  '2026-11-22 10:00:48',
  '',
  '11/22/2026',
  '11/22/2026 13:00:48 PM',
  `1/1/2026 1:00:00${' '.repeat(50_000)}`,
])('%j stays', (text) => {
  expect(withYearFirst(text, 'month-day')).toBe(text)
})
