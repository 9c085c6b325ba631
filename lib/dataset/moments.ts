import { DateTime, type DurationLikeObject } from 'luxon'
import { RowRefused } from './refusals.ts'

/** What dates in cells are read against: the moment of the dataset's first import, in the installation's zone. */
export interface Calendar {
  readonly firstImport: Date
  readonly zone: string
}

const UNITS: Readonly<Record<string, keyof DurationLikeObject>> = {
  s: 'seconds',
  m: 'minutes',
  h: 'hours',
  d: 'days',
}

const FROM_NOW = /^@now(?:([+-]\d{1,9})([smhd]))?$/
const ON_A_DAY = /^@([+-]?\d{1,6})d(?: (\d{2}:\d{2}:\d{2}))?$/

/** Unix seconds. */
export function readDateTime(cell: string, calendar: Calendar): number {
  const moment = cell.startsWith('@') ? relative(cell, calendar) : absolute(cell, calendar)
  if (!isStorable(moment)) throw new RowRefused('takes YYYY-MM-DD HH:MM:SS, @-3d 14:05:00 or @now-90s')
  return Math.floor(moment.toSeconds())
}

/** `YYYY-MM-DD`. */
export function readDate(cell: string, calendar: Calendar): string {
  const day = cell.startsWith('@') ? relative(cell, calendar) : wholeDay(cell, calendar)
  if (!isStorable(day)) throw new RowRefused('takes YYYY-MM-DD or @-3d')
  return day.toFormat('yyyy-MM-dd')
}

const isStorable = (moment: DateTime | undefined): moment is DateTime =>
  moment?.isValid === true && moment.year >= 1970 && moment.year <= 9999

function absolute(cell: string, { zone }: Calendar): DateTime | undefined {
  if (!/^\d{4}-\d{2}-\d{2}([ T]|$)/.test(cell)) return undefined
  const iso = cell.replace(' ', 'T')
  return HAS_OFFSET.test(iso) ? DateTime.fromISO(iso, { zone }) : localTime(iso, zone)
}

const HAS_OFFSET = /T.*(Z|[+-]\d{2}(:?\d{2})?)$/

/** A clock time that the end of summer time repeats is the first of the two, whatever the season of the import. */
const localTime = (iso: string, zone: string): DateTime | undefined =>
  DateTime.fromISO(iso, { zone }).getPossibleOffsets()[0]

const wholeDay = (cell: string, { zone }: Calendar): DateTime =>
  DateTime.fromFormat(cell, 'yyyy-MM-dd', { zone })

/**
 * `@now-90s` counts elapsed time; `@-3d 14:05:00` is that clock time on the third calendar day before, however long the
 * days between were. A clock time that the change to summer time skips is read an hour later.
 */
function relative(cell: string, { firstImport, zone }: Calendar): DateTime | undefined {
  const now = DateTime.fromJSDate(firstImport, { zone })
  const [isFromNow, amount, unit = 's'] = FROM_NOW.exec(cell) ?? []
  if (isFromNow) return now.plus(elapsed(Number(amount ?? 0), unit))
  const [, days, time = '00:00:00'] = ON_A_DAY.exec(cell) ?? []
  if (days === undefined) return undefined
  const day = now.plus({ days: Number(days) })
  return day.isValid ? localTime(`${day.toFormat('yyyy-MM-dd')}T${time}`, zone) : undefined
}

/** A day from now is 24 hours, whatever the clocks do. */
const elapsed = (amount: number, unit: string): DurationLikeObject =>
  unit === 'd' ? { hours: amount * 24 } : { [UNITS[unit] ?? 'seconds']: amount }
