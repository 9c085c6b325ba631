import {
  addDays,
  DAY_SECONDS,
  type Day,
  dayOf,
  firstOfMonth,
  formatDateTime,
  isMoment,
  momentAt,
  periodOfDay,
  type Seconds,
  secondsOf,
  today,
} from '#lib/base/calendar.ts'
import { memoize } from '#lib/base/collections.ts'
import { isoDay, isoMoment } from '#lib/base/iso-moment.ts'
import { rowRefused } from '#lib/base/row-refused.ts'
import type { CellDialling, Columns } from '../columns.ts'
import type { Cells } from './row-source.ts'

/** Relative dates count from the first import of the dataset, in the installation's zone. */
export interface Calendar {
  readonly firstImport: Date
  readonly zone: string
  readonly dialling?: CellDialling
}

const SECONDS_PER_UNIT: Readonly<Record<string, Seconds>> = { s: 1, m: 60, h: 3600, d: 86_400 }

const FROM_NOW = /^@now(?:([+-]\d{1,9})([smhd]))?$/
const ON_A_DAY = /^@(?:([+-]?\d{1,3})month)?(?:([+-]?\d{1,6})d)?(?: (\d{2}:\d{2}:\d{2}))?$/

/** Reads a date and time as Unix seconds. Throws refused_row with the accepted forms. */
export function readDateTime(cell: string, calendar: Calendar): Seconds {
  const moment = cell.startsWith('@') ? relative(cell, calendar) : isoMoment(cell, calendar.zone)
  if (!isStorable(moment)) throw rowRefused('takes YYYY-MM-DD HH:MM:SS, @-3d 14:05:00 or @now-90s')
  return moment
}

/** Reads a day as `YYYY-MM-DD`, also from a date and time. Throws refused_row with the accepted forms. */
export function readDate(cell: string, calendar: Calendar): Day {
  const day = cell.startsWith('@') ? relativeDay(cell, calendar) : isoDay(cell)
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(day) && isStorable(momentAt(day, '12:00:00', 'UTC'))
  if (!isDay) throw rowRefused('takes YYYY-MM-DD or @-3d')
  return day
}

const isStorable = (moment: Seconds | undefined): moment is Seconds =>
  moment !== undefined && isMoment(moment)

/**
 * The form `@now-90s` counts elapsed time, in which a day always has 24 hours. The form `@-3d 14:05:00` is
 * that clock time three calendar days earlier, even if the clocks were changed in between; `@-1month` is the
 * first day of the month before, and `@-1month-1d` the day before that.
 */
function relative(cell: string, { firstImport, zone }: Calendar): Seconds | undefined {
  const [isFromNow, amount = '0', unit = 's'] = FROM_NOW.exec(cell) ?? []
  if (isFromNow) return secondsOf(firstImport) + Number(amount) * (SECONDS_PER_UNIT[unit] ?? 1)
  const [, months, days, time = '00:00:00'] = ON_A_DAY.exec(cell) ?? []
  if (months === undefined && days === undefined) return undefined
  const present = today(firstImport, zone)
  const from = months === undefined ? present : firstOfMonth(present, Number(months))
  return momentAt(addDays(from, Number(days ?? 0)), time, zone)
}

/** The day of a relative cell; blank if the cell cannot be read. */
export function relativeDay(cell: string, calendar: Calendar): Day {
  const moment = relative(cell, calendar)
  return isStorable(moment) ? dayOf(moment, calendar.zone) : ''
}

/** A date and time without an offset. */
const LOCAL = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})$/

/** Counts rows with a time that the clocks of the zone never showed, because they were put forward. */
export function createSkippedTimes(columns: Columns, zone: string) {
  const names = Object.keys(columns).filter((name) => columns[name]?.moment === 'date-time')
  const isShortDay = memoize((day: string) => {
    const { from, till } = periodOfDay(day, zone)
    return till - from + 1 < DAY_SECONDS
  })
  const isSkipped = (cell: string): boolean => {
    const [, day = '', time = ''] = LOCAL.exec(cell) ?? []
    if (day === '' || !isShortDay(day)) return false
    const moment = momentAt(day, time, zone)
    return moment !== undefined && formatDateTime(moment, zone) !== `${day} ${time}`
  }
  let [count, example] = [0, '']
  return {
    add: (entries: readonly { readonly cells: Cells }[]): void => {
      for (const { cells } of entries) {
        const skipped = names.map((name) => cells[name] ?? '').find(isSkipped)
        if (skipped === undefined) continue
        count += 1
        example ||= skipped
      }
    },
    remarks: (): string[] => (count === 0 ? [] : [sentence(count, example, zone)]),
  }
}

const sentence = (count: number, example: string, zone: string): string =>
  `warning: ${count} rows have a time that ${zone} skipped when clocks went forward, such as ${example}: they are read as an hour later`
