import { momentAt, type Seconds } from '#lib/domain/calendar.ts'
import { DocumentRefused } from './record.ts'

/** Reads a moment as a switch writes it; `undefined` when the text is blank or 0, as for a call nobody answered. */
export type Clock = (text: string) => Seconds | undefined

/** `2026-03-10 12:00:00`, with `/` or `T`, with fractions of a second, and with `Z` or an offset of its own. */
const LOCAL =
  /^(\d{4})[-/](\d{2})[-/](\d{2})[ T](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?: ?(Z|[+-]\d{2}:?\d{2}))?$/

/** Unix time in seconds (with or without a fraction), milliseconds or microseconds, told apart by their digits. */
const UNIX = /^(\d{9,11})(?:\d{3}|\d{6})?(?:\.\d+)?$/

const clocks = new Map<string, Clock>()

/**
 * What clocks show in the zone counts, unless the text says its own. Throws DocumentRefused for anything else. There is one
 * clock for each zone: documents of one record come by the thousand, and it knows what it has looked up.
 */
export function clockOf(zone: string): Clock {
  const known = clocks.get(zone)
  if (known) return known
  const clock = createClock(zone)
  clocks.set(zone, clock)
  return clock
}

function createClock(zone: string): Clock {
  const localTime = createLocalTime(zone)

  return (text) => {
    if (text === '') return undefined
    const moment = localTime.known(text) ?? unixTime(text) ?? momentIn(text, localTime.look)
    if (moment === undefined) {
      throw new DocumentRefused('impossible time', `${JSON.stringify(text)} is not a time`)
    }
    return moment === 0 ? undefined : moment
  }
}

function unixTime(text: string): Seconds | undefined {
  const [, seconds] = UNIX.exec(text) ?? []
  if (seconds !== undefined) return Number(seconds)
  return /^0+(\.0+)?$/.test(text) ? 0 : undefined
}

type LookUp = (hour: string, minutes: string) => Seconds | undefined

interface LocalTime {
  /** `2026-03-10 12:00:00` of an hour that was looked up before. */
  readonly known: (text: string) => Seconds | undefined
  /** `2026-03-10 12` and `00:00`. */
  readonly look: LookUp
}

function momentIn(text: string, look: LookUp): Seconds | undefined {
  const [, year, month, day, hour, minutes, seconds, offset] = LOCAL.exec(text) ?? []
  if (year === undefined) return undefined
  const [date, time] = [`${year}-${month}-${day}`, `${minutes}:${seconds}`]
  if (offset === undefined) return look(`${date} ${hour}`, time)
  const shown = momentAt(date, `${hour}:${time}`, 'UTC')
  return shown === undefined ? undefined : shown - offsetSeconds(offset)
}

function offsetSeconds(offset: string): Seconds {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? []
  return Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60)
}

const MOST_HOURS = 10_000

const IN_AN_HOUR = /^:[0-5]\d:[0-5]\d$/

/** Looks a zone's rules up once an hour: they cost more than all the rest of a record. */
function createLocalTime(zone: string): LocalTime {
  const plainHours = new Map<string, Seconds>()

  const known = (text: string): Seconds | undefined => {
    const start = plainHours.get(text.slice(0, 13))
    const rest = text.slice(13)
    return start === undefined || !IN_AN_HOUR.test(rest)
      ? undefined
      : start + Number(rest.slice(1, 3)) * 60 + Number(rest.slice(4))
  }

  const look: LookUp = (hour, minutes) => {
    const start = startOfPlainHour(hour, zone)
    if (plainHours.size > MOST_HOURS) plainHours.clear()
    if (start !== undefined) plainHours.set(hour, start)
    return momentAt(hour.slice(0, 10), `${hour.slice(11)}:${minutes}`, zone)
  }

  return { known, look }
}

/** When the hour begins, if the clocks do not change in it. */
function startOfPlainHour(hour: string, zone: string): Seconds | undefined {
  const [first, last] = ['00:00', '59:59'].map((time) =>
    momentAt(hour.slice(0, 10), `${hour.slice(11)}:${time}`, zone),
  )
  return first !== undefined && last === first + 3599 ? first : undefined
}
