import type { Seconds } from '#lib/domain/calendar.ts'
import { dispositionByCause } from '#lib/intake/disposition.ts'
import { hangupCauseOfSip } from '#lib/intake/hangup-cause.ts'
import type { Half, SwitchCall } from '#lib/intake/record.ts'

/**
 * What the reports of one call have in common, and no other call has: the Call-ID and both tags, whichever side hung up
 * (RFC 3261, 12). The branches of a fork that were answered have tags of their own, and each is a call.
 */
export const dialogOf = ({ callId, tags }: Pick<Half, 'callId' | 'tags'>): string =>
  `${callId} ${partOf(tags)}`

const partOf = (tags: Half['tags']): string => tags.toSorted().join(' ')

/** What the reports of one dialog come to. */
export type Joined =
  | { readonly kind: 'call'; readonly call: SwitchCall }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'no start' | 'no end' }

export interface Patience {
  readonly now: Seconds
  /** How long the one end waits for the other. */
  readonly hours: number
}

/**
 * Joins the reports of one dialog, in whatever order and however often they came. The first answer is the beginning: a
 * later INVITE of the same dialog changes a call that goes on, and one that is refused changes nothing. The first BYE is
 * the end: both sides may hang up, and each may send it again. A call that nobody answered needs no end.
 */
export function joined(halves: readonly Half[], patience: Patience): Joined {
  const [start, end, failure] = (['answered', 'ended', 'failed'] as const).map((what) => first(halves, what))
  if (start && end) return { kind: 'call', call: callOf(start, Math.max(0, end.at - start.at)) }
  if (start) return isOver(start, patience) ? { kind: 'no end' } : { kind: 'waiting' }
  if (failure) return { kind: 'call', call: callOf(failure, 0) }
  return end && isOver(end, patience) ? { kind: 'no start' } : { kind: 'waiting' }
}

const HOUR = 3600

const isOver = ({ at }: Half, { now, hours }: Patience): boolean => now - at > hours * HOUR

const first = (halves: readonly Half[], what: Half['tells']): Half | undefined =>
  halves.filter(({ tells }) => tells === what).toSorted((one, other) => one.at - other.at)[0]

/** acc reports an INVITE when it is answered: how long it rang before is not known. */
function callOf({ tells, sipStatus, callId, tags, at, ...half }: Half, seconds: number): SwitchCall {
  const hangupcause = hangupCauseOfSip(sipStatus)
  return {
    uniqueid: callId,
    part: partOf(tags),
    start: at,
    duration: seconds,
    billsec: seconds,
    disposition: dispositionByCause(tells === 'answered', hangupcause),
    hangupcause,
    channel: '',
    src: half.src,
    dst: half.dst,
    party: half.party,
    provider: half.provider,
  }
}
