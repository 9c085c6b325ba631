import { InvalidArgumentError } from '@commander-js/extra-typings'
import type { Day } from '#lib/domain/calendar.ts'

/** Reads a day of an option. */
export function dayArgument(day: string): Day {
  if (/^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day))) return day
  throw new InvalidArgumentError('Use a day: YYYY-MM-DD.')
}

/** Reads an id of an option. */
export function idArgument(id: string): number {
  if (/^\d{1,15}$/.test(id)) return Number(id)
  throw new InvalidArgumentError('Use an id.')
}
