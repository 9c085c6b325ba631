import { addDays, firstOfMonth } from '#lib/domain/calendar.ts'
import { isDay } from '#lib/domain/day.ts'
import type { Values } from './api/catalogue.ts'

/** Whole days of the installation; both belong to the range. */
export interface DayRange {
  readonly name: string
  readonly from: string
  readonly till: string
}

export const RANGES = [
  ['today', 'Today'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['month', 'This month'],
  ['custom', 'Custom'],
] as const

const USUAL = '7'

/** The range that an address names. */
export function rangeIn({ range = USUAL, from = '', till = '' }: Values, today: string): DayRange {
  if (range === 'custom' && isDay(from) && isDay(till) && from <= till) return { name: range, from, till }
  if (range === 'today') return { name: range, from: today, till: today }
  if (range === 'month') return { name: range, from: firstOfMonth(today), till: today }
  const days = Number(range) || Number(USUAL)
  return { name: String(days), from: addDays(today, 1 - days), till: today }
}
