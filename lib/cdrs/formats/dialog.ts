import { dispositionByCause, hangupCauseOfSip } from './call-result.ts'
import type { Cdr, DialogEvent } from './cdr.ts'
import { wholeSeconds } from './clock.ts'

/**
 * Both tags of the dialog in a fixed order, because a BYE of the called side swaps them (RFC 3261, 12). Each
 * answered branch of a fork has its own tags, and is a call of its own.
 */
export const partOf = ({ tags }: Pick<DialogEvent, 'tags'>): string => tags.toSorted().join(' ')

/** The result of a correlation: a CDR, still pending, or an event whose counterpart is overdue. */
type Correlated =
  | { readonly kind: 'cdr'; readonly cdr: Cdr }
  | { readonly kind: 'pending' | 'no_start' | 'no_end' | 'ends_first' }

/** A BYE may cross with the answer, and then ends a call of no seconds. */
const CROSSED_SECONDS = 1

/**
 * Correlates a dialog's events; order and repetition do not matter. The first answer starts the call: a later
 * INVITE only changes it. The first BYE after it ends it: either side may send several. An unanswered call
 * needs no end. `isOverdue` returns whether an event has waited too long for its counterpart.
 */
export function correlated(
  events: readonly DialogEvent[],
  isOverdue: (event: DialogEvent) => boolean,
): Correlated {
  const [start, first, failure] = (['answered', 'ended', 'failed'] as const).map((what) =>
    earliest(events, what),
  )
  const isEnd = ({ at }: DialogEvent) => !start || at >= start.at - CROSSED_SECONDS
  const end = earliest(events.filter(isEnd), 'ended')
  if (start && end) {
    return { kind: 'cdr', cdr: cdrOf(start, wholeSeconds(Math.max(0, momentOf(end) - momentOf(start)))) }
  }
  if (start && first) return { kind: 'ends_first' }
  if (start) return { kind: isOverdue(start) ? 'no_end' : 'pending' }
  if (failure) return { kind: 'cdr', cdr: cdrOf(failure, 0) }
  return { kind: end && isOverdue(end) ? 'no_start' : 'pending' }
}

const earliest = (events: readonly DialogEvent[], what: DialogEvent['kind']): DialogEvent | undefined =>
  events.filter(({ kind }) => kind === what).toSorted((one, other) => momentOf(one) - momentOf(other))[0]

const momentOf = ({ at, fraction = 0 }: DialogEvent): number => at + fraction

/** An INVITE is reported when answered: without a ringing time, duration equals billed length. */
function cdrOf(event: DialogEvent, seconds: number): Cdr {
  const { kind, sipStatus, callId, at, src, dst, dialledDst, carrierDst, carrierSrc, party, provider } = event
  const hangupcause = hangupCauseOfSip(sipStatus)
  const disposition = dispositionByCause(kind === 'answered', hangupcause)
  const times = { start: at, duration: seconds, billsec: seconds }
  const ends = { src, dst, dialledDst, carrierDst, carrierSrc, channel: '', party, provider }
  return { uniqueid: callId, part: partOf(event), ...times, disposition, hangupcause, ...ends }
}
