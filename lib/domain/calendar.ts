import { DateTime } from 'luxon'

/** Moments are Unix seconds; days are `YYYY-MM-DD` in the installation's zone (wire decisions 4.5). */
export type Seconds = number
export type Day = string

/** Both ends belong to it. */
export interface Period {
  readonly from: Seconds
  readonly till: Seconds
}

const EARLIEST = 0
const LATEST = 253_402_300_799

/** A Unix timestamp from 1970 to 9999; `undefined` when it is none (wire decisions 4.5). */
export function timestampOf(text: string): Seconds | undefined {
  const seconds = /^\d{1,12}$/.test(text.trim()) ? Number(text) : -1
  return seconds >= EARLIEST && seconds <= LATEST ? seconds : undefined
}

const inZone = (moment: Seconds, zone: string): DateTime => DateTime.fromSeconds(moment, { zone })

const dateTime = (day: Day, zone: string): DateTime => DateTime.fromISO(day, { zone })

export const dayOf = (moment: Seconds, zone: string): Day => inZone(moment, zone).toFormat('yyyy-MM-dd')

/** From the first to the last second of a day, which may have 23 or 25 hours. */
export const periodOfDay = (day: Day, zone: string): Period => ({
  from: dateTime(day, zone).startOf('day').toUnixInteger(),
  till: dateTime(day, zone).endOf('day').toUnixInteger(),
})

export const today = (now: Date, zone: string): Day => dayOf(Math.floor(now.getTime() / 1000), zone)

/** A period of which an end that is not given is that of today (wire decisions 4.5). */
export function periodOrToday(
  { from, till }: { readonly from: Seconds | undefined; readonly till: Seconds | undefined },
  now: Date,
  zone: string,
): Period {
  const day = periodOfDay(today(now, zone), zone)
  return { from: from ?? day.from, till: till ?? day.till }
}

/** The first day of a day's month. */
export const firstOfMonth = (day: Day): Day => `${day.slice(0, 8)}01`

export const addDays = (day: Day, days: number): Day =>
  DateTime.fromISO(day, { zone: 'utc' }).plus({ days }).toFormat('yyyy-MM-dd')

/** `YYYY-MM-DD HH:MM:SS` in the zone. */
export const formatDateTime = (moment: Seconds, zone: string): string =>
  inZone(moment, zone).toFormat('yyyy-MM-dd HH:mm:ss')

/** `HH:MM:SS` in the zone. */
export const formatTime = (moment: Seconds, zone: string): string => inZone(moment, zone).toFormat('HH:mm:ss')

/** `GMT +HH:MM`: the zone's offset at that moment (wire decisions 5, user_calls_get). */
export const formatOffset = (moment: Seconds, zone: string): string =>
  `GMT ${inZone(moment, zone).toFormat('ZZ')}`

/** The clock on the wall: `HH:MM:SS`, and the day of the week from 1 (Monday) to 7 (Sunday). */
export function wallClock(moment: Seconds, zone: string): { time: string; weekday: number } {
  const local = inZone(moment, zone)
  return { time: local.toFormat('HH:mm:ss'), weekday: local.weekday }
}
