import { DAY_SECONDS, HOUR_SECONDS, type Seconds } from '#lib/base/calendar.ts'
import { isKnownDisposition } from './formats/call-result.ts'
import type { Cdr, Problem } from './formats/cdr.ts'
import type { Mediation } from './mediation.ts'

const YEAR_2000 = Date.UTC(2000, 0) / 1000

const ANSWERED = 'ANSWERED'

/** The reason why no call can have these times, lengths and disposition; `undefined` for a plausible CDR. */
export function implausible(
  cdr: Cdr,
  { now, settings }: Pick<Mediation, 'now' | 'settings'>,
): Problem | undefined {
  return impossibleTime(cdr, now) ?? tooLong(cdr, settings) ?? impossibleBilling(cdr)
}

/** A switch reports a call when it has ended. Its clock, or its zone, may be a day ahead. */
function impossibleTime({ start, duration }: Cdr, now: Seconds): Problem | undefined {
  if (start < YEAR_2000) return { reason: 'impossible_time', detail: 'it begins before the year 2000' }
  const last = now + DAY_SECONDS
  if (start + duration <= last) return undefined
  const verb = start > last ? 'begins' : 'ends'
  return { reason: 'impossible_time', detail: `it ${verb} more than a day from now` }
}

function tooLong({ duration }: Cdr, { Max_Call_Hours = 0 }: Mediation['settings']): Problem | undefined {
  if (Max_Call_Hours === 0 || duration <= Max_Call_Hours * HOUR_SECONDS) return undefined
  return {
    reason: 'too_long',
    detail: `${duration} seconds are more than Max_Call_Hours (${Max_Call_Hours})`,
  }
}

function impossibleBilling({ duration, billsec, disposition }: Cdr): Problem | undefined {
  if (billsec > duration) {
    return { reason: 'billed_exceeds_duration', detail: `${billsec} of ${duration} seconds are billed` }
  }
  if (billsec === 0 || disposition === ANSWERED) return undefined
  const reason = isKnownDisposition(disposition) ? 'not_answered_but_billed' : 'unknown_disposition'
  return { reason, detail: `${billsec} seconds are billed of a call that is ${JSON.stringify(disposition)}` }
}
