import { addDays, type Days, firstOfMonth } from '#lib/base/calendar.ts'
import { isDay } from '#lib/base/day.ts'
import type { SentValues } from '../api/catalogue.ts'

/** Whole days of the installation; both belong to the range. */
export interface DayRange extends Days {
  readonly name: string
}

/** The ranges that have a name, in the order in which they are offered. */
export const RANGES = [
  ['today', 'Today'],
  ['yesterday', 'Yesterday'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['month', 'This month'],
  ['last-month', 'Last month'],
] as const

const USUAL = '7'

export function rangeIn({ range = USUAL, from = '', till = '' }: SentValues, today: string): DayRange {
  if (range === 'custom' && isDay(from) && isDay(till) && from <= till) return { name: range, from, till }
  if (range === 'today') return { name: range, from: today, till: today }
  if (range === 'yesterday') return { name: range, from: addDays(today, -1), till: addDays(today, -1) }
  if (range === 'month') return { name: range, from: firstOfMonth(today), till: today }
  if (range === 'last-month') return { name: range, ...monthBefore(today) }
  const days = Number(range) || Number(USUAL)
  return { name: String(days), from: addDays(today, 1 - days), till: today }
}

function monthBefore(today: string) {
  const till = addDays(firstOfMonth(today), -1)
  return { from: firstOfMonth(till), till }
}
