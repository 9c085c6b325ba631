import { formatDateTime, formatOffset, type Seconds } from './calendar.ts'

/** A moment as long lists print it: `YYYY-MM-DD HH:MM:SS`, and the zone's offset at that moment. */
export interface MomentText {
  readonly dateTime: string
  readonly offset: string
}

const MINUTE = 60

/**
 * For lists in time order, where one moment is often in the same minute as the one before: what a zone's rules cost is
 * paid once a minute. No zone has had offsets of odd seconds since 1972; before that each moment pays for itself.
 */
export function momentTexts(zone: string): (moment: Seconds) => MomentText {
  let [minute, start, offset] = [-1, '', '']
  return (moment) => {
    if (moment < FIRST_WHOLE_OFFSETS) return textOf(moment, zone)
    const own = Math.floor(moment / MINUTE)
    if (own !== minute) {
      ;[minute, offset] = [own, formatOffset(moment, zone)]
      start = formatDateTime(own * MINUTE, zone).slice(0, -2)
    }
    return { dateTime: start + String(moment % MINUTE).padStart(2, '0'), offset }
  }
}

const FIRST_WHOLE_OFFSETS = Date.UTC(1973, 0) / 1000

const textOf = (moment: Seconds, zone: string): MomentText => ({
  dateTime: formatDateTime(moment, zone),
  offset: formatOffset(moment, zone),
})
