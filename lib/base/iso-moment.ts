import { type Day, momentAt, type Seconds } from './calendar.ts'

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(:\d{2})?(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?)?$/

/**
 * Reads `YYYY-MM-DD`, with or without a time, in the zone, or with the offset that the text gives. Returns `undefined` for
 * another form, and for an impossible day or time.
 */
export function isoMoment(text: string, zone: string): Seconds | undefined {
  const [, day = '', minutes = '00:00', seconds = ':00', offset] = ISO.exec(text) ?? []
  const local = momentAt(day, minutes + seconds, offset === undefined ? zone : 'UTC')
  return local === undefined || offset === undefined ? local : local - offsetSeconds(offset)
}

/** The day that such a text begins with; blank for another form. */
export const isoDay = (text: string): Day | '' => ISO.exec(text)?.[1] ?? ''

function offsetSeconds(offset: string): Seconds {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(offset) ?? []
  return Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60)
}
