import { type Day, HOUR_SECONDS, momentAt, type Seconds } from './calendar.ts'

/** The zone in ISO 8601, PostgreSQL and Rails: `Z`, `UTC`, `GMT`, `+02`, `+0200`, `+02:00`, `UTC+02:00`. */
export const ZONE = 'Z|UTC|GMT|(?:UTC|GMT)?[+\u2212-](?:0\\d|1[0-5])(?::?[0-5]\\d)?'

const ISO = new RegExp(
  `^(\\d{4}-\\d{2}-\\d{2})(?:[ T](\\d{2}:\\d{2})(:\\d{2})?(?:\\.\\d+)?(?: ?(${ZONE}))?)?$`,
  'i',
)

/**
 * Reads `YYYY-MM-DD`, with or without a time, in the zone, or with the offset that the text gives. Returns
 * `undefined` for another form, and for an impossible day or time.
 */
export function isoMoment(text: string, zone: string): Seconds | undefined {
  const [, day = '', minutes = '00:00', seconds = ':00', offset] = ISO.exec(text) ?? []
  const local = momentAt(day, minutes + seconds, offset === undefined ? zone : 'UTC')
  return local === undefined || offset === undefined ? local : local - offsetSeconds(offset)
}

/** The day that such a text begins with; blank for another form. */
export const isoDay = (text: string): Day | '' => ISO.exec(text)?.[1] ?? ''

/** The seconds east of UTC that such a zone means. */
export function offsetSeconds(zone: string): Seconds {
  const [, sign, hours = '', minutes = '0'] = /([+\u2212-])(\d{2}):?(\d{2})?$/.exec(zone) ?? []
  if (sign === undefined) return 0
  const seconds = Number(hours) * HOUR_SECONDS + Number(minutes) * 60
  return sign === '+' ? seconds : -seconds
}
