import { tzOffset } from '@date-fns/tz'

/** Moments are Unix seconds; days are `YYYY-MM-DD` in the installation's zone (wire.md 4.5). */
export type Seconds = number
export type Day = string

export const HOUR_SECONDS = 3600
export const DAY_SECONDS = 86_400

export const DAY_MS = DAY_SECONDS * 1000

/** A period that includes both ends. */
export interface Period {
  readonly from: Seconds
  readonly till: Seconds
}

const EARLIEST = 0
const LATEST = 253_402_300_799

/** From the start of 1970 to the end of 9999. */
export const ALL_TIME: Period = { from: EARLIEST, till: LATEST }

export const isMoment = (seconds: number): boolean => seconds >= EARLIEST && seconds <= LATEST

/** The last day that is printed. */
export const LAST_DAY = '9999-12-31'

export const EVERY_DAY: Days = { from: '0000-01-01', till: LAST_DAY }

/** A Unix timestamp from 1970 to 9999; `undefined` for anything else (wire.md 4.5). */
export function timestampOf(text: string): Seconds | undefined {
  const seconds = /^\d{1,12}$/.test(text.trim()) ? Number(text) : -1
  return isMoment(seconds) ? seconds : undefined
}

/**
 * A Date whose UTC fields are what clocks in the zone show. East of UTC, the last hours of 9999 would fall
 * into year 10000, which has no `YYYY-MM-DD` form: they count as the last second of 9999.
 */
const localDate = (moment: Seconds, zone: string): Date =>
  new Date(Math.min(moment + offsetOf(moment, zone), LATEST) * 1000)

/** Seconds east of UTC, at that moment. */
export const offsetOf = (moment: Seconds, zone: string): Seconds =>
  zone === 'UTC' ? 0 : Math.round(tzOffset(zone, new Date(moment * 1000)) * 60)

export const dayOf = (moment: Seconds, zone: string): Day =>
  localDate(moment, zone).toISOString().slice(0, 10)

/**
 * The moment at which clocks in the zone show a time (`HH:MM:SS`) on a day. A time that occurs twice means
 * the first. A time that the change to summer time skips is read as if the clocks had not changed. Returns
 * `undefined` for an impossible day or time.
 */
export function momentAt(day: Day, time: string, zone: string): Seconds | undefined {
  const shown = `${day}T${time}.000Z`
  const asUtc = Date.parse(shown) / 1000
  if (Number.isNaN(asUtc) || new Date(asUtc * 1000).toISOString() !== shown) return undefined
  const before = asUtc - offsetOf(asUtc - DAY_SECONDS, zone)
  const after = asUtc - offsetOf(asUtc + DAY_SECONDS, zone)
  const shows = (moment: Seconds) => localDate(moment, zone).toISOString() === shown
  return before !== after && !shows(before) && shows(after) ? after : before
}

/** The second moment at which clocks show a time that occurs twice; `undefined` for any other time. */
export function secondMomentAt(day: Day, time: string, zone: string): Seconds | undefined {
  const first = momentAt(day, time, zone)
  if (first === undefined) return undefined
  const later = first + offsetOf(first, zone) - offsetOf(first + DAY_SECONDS, zone)
  return later > first && formatDateTime(later, zone) === `${day} ${time}` ? later : undefined
}

const startOfDay = (day: Day, zone: string): Seconds => momentAt(day, '00:00:00', zone) ?? Number.NaN

/** From the first to the last second of a day, which may have 23 or 25 hours. */
export const periodOfDay = (day: Day, zone: string): Period => ({
  from: startOfDay(day, zone),
  till: day === LAST_DAY ? LATEST : startOfDay(addDays(day, 1), zone) - 1,
})

/** From the first second of one day to the last of another. Without a day, a side is open. */
export const periodOfDays = ({ from, till }: DaysFromTo, zone: string): Period => ({
  from: from === undefined ? EARLIEST : periodOfDay(from, zone).from,
  till: till === undefined ? LATEST : periodOfDay(till, zone).till,
})

export const secondsOf = (moment: Date): Seconds => Math.floor(moment.getTime() / 1000)

/** Whole hours, at least 0. */
export const hoursSince = (moment: Seconds, now: Seconds): number =>
  Math.max(0, Math.floor((now - moment) / HOUR_SECONDS))

export const today = (now: Date, zone: string): Day => dayOf(secondsOf(now), zone)

/** Fills in a missing end of a period with that of today (wire.md 4.5). */
export function periodOrToday(
  { from, till }: { readonly from: Seconds | undefined; readonly till: Seconds | undefined },
  now: Date,
  zone: string,
): Period {
  const day = periodOfDay(today(now, zone), zone)
  return { from: from ?? day.from, till: till ?? day.till }
}

/** `YYYY-MM` */
export const monthOf = (day: Day): string => day.slice(0, 7)

/** The first day of the month that is a number of months later, or earlier for a negative number. */
export function firstOfMonth(day: Day, months = 0): Day {
  const first = new Date(`${day.slice(0, 7)}-01`)
  first.setUTCMonth(first.getUTCMonth() + months)
  return first.toISOString().slice(0, 10)
}

export const addDays = (day: Day, days: number): Day =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** Whole days; both belong to the range. */
export interface Days {
  readonly from: Day
  readonly till: Day
}

/** The same, where a side may be open. */
export interface DaysFromTo {
  readonly from?: Day | undefined
  readonly till?: Day | undefined
}

export const countOfDays = ({ from, till }: Days): number =>
  (Date.parse(till) - Date.parse(from)) / DAY_MS + 1

/** The range of the same length that ends the day before this one. */
export const daysBefore = (days: Days): Days => ({
  from: addDays(days.from, -countOfDays(days)),
  till: addDays(days.from, -1),
})

/** `YYYY-MM-DD HH:MM:SS` in the zone. */
export const formatDateTime = (moment: Seconds, zone: string): string =>
  localDate(moment, zone).toISOString().slice(0, 19).replace('T', ' ')

/**
 * A time as clocks of the installation showed it: another zone does not move it. Tables of formats before 4
 * have moments, which are shown in the zone.
 */
export type LocalTime = string | Seconds

export const localText = (time: LocalTime, zone: string): string =>
  typeof time === 'number' ? formatDateTime(time, zone) : time

export const dayOfLocal = (time: LocalTime, zone: string): Day => localText(time, zone).slice(0, 10)

/** An ISO date-time as `YYYY-MM-DD HH:MM:SS` in the zone. */
export const formatIso = (iso: string, zone: string): string => formatDateTime(secondsOf(new Date(iso)), zone)

/** `HH:MM:SS` in the zone. */
export const formatTime = (moment: Seconds, zone: string): string =>
  localDate(moment, zone).toISOString().slice(11, 19)

/** `GMT +HH:MM`: the zone's offset at that moment (wire.md user_calls_get). */
export function formatOffset(moment: Seconds, zone: string): string {
  const minutes = Math.round(offsetOf(moment, zone) / 60)
  const twoDigits = (number: number) => String(Math.floor(Math.abs(number))).padStart(2, '0')
  return `GMT ${minutes < 0 ? '-' : '+'}${twoDigits(minutes / 60)}:${twoDigits(minutes % 60)}`
}

/** The local day, the time as `HH:MM:SS`, and the day of the week from 1 (Monday) to 7 (Sunday). */
export function wallClock(moment: Seconds, zone: string): { day: Day; time: string; weekday: number } {
  const local = localDate(moment, zone)
  const text = local.toISOString()
  return { day: text.slice(0, 10), time: text.slice(11, 19), weekday: local.getUTCDay() || 7 }
}

/** A moment in long lists: `YYYY-MM-DD HH:MM:SS`, and the zone's offset at that moment. */
export interface MomentText {
  readonly dateTime: string
  readonly offset: string
}

/** A day of UTC in which the zone keeps its offset. */
interface SteadyDay {
  readonly start: Seconds
  readonly east: Seconds
  readonly offset: string
}

/**
 * Returns a formatter for lists in time order. It applies the zone's rules once for each day of UTC, and
 * again to each moment of a day in which the offset changes.
 */
export function momentFormatter(zone: string): (moment: Seconds) => MomentText {
  let steady: SteadyDay | undefined
  let [localDay, dayText] = [Number.NaN, '']
  return (moment) => {
    const start = moment - (moment % DAY_SECONDS)
    if (steady?.start !== start) steady = steadyDay(start, zone)
    const local = moment + (steady?.east ?? 0)
    if (!steady || moment < 0 || local > LATEST)
      return { dateTime: formatDateTime(moment, zone), offset: formatOffset(moment, zone) }
    const day = Math.floor(local / DAY_SECONDS)
    if (day !== localDay) {
      localDay = day
      dayText = `${dayOf(day * DAY_SECONDS, 'UTC')} `
    }
    return { dateTime: dayText + timeText(local - day * DAY_SECONDS), offset: steady.offset }
  }
}

function steadyDay(start: Seconds, zone: string): SteadyDay | undefined {
  const east = offsetOf(start, zone)
  return offsetOf(start + DAY_SECONDS, zone) === east
    ? { start, east, offset: formatOffset(start, zone) }
    : undefined
}

const MINUTE_SECONDS = 60

/** `00` to `59`. */
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/** `HH:MM:SS` */
const timeText = (second: Seconds): string =>
  `${TWO_DIGITS[Math.floor(second / HOUR_SECONDS)]}:${TWO_DIGITS[Math.floor((second % HOUR_SECONDS) / MINUTE_SECONDS)]}:${TWO_DIGITS[second % MINUTE_SECONDS]}`
