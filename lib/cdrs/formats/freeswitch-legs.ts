import type { Seconds } from '#lib/base/calendar.ts'
import type { ProviderHints } from '#lib/rates/provider.ts'
import { dispositionByCause, hangupCauseOf, NORMAL_CLEARING } from './call-result.ts'
import { type Cdr, cdrRefused, type LoopbackLeg, type PartyHints } from './cdr.ts'
import { type Clock, requireTimed, timesOf, wholeSeconds } from './clock.ts'
import { type Field, filledOnce, firstFilled, isPhoneNumber, isSameNumber } from './fields.ts'
import {
  bridgedText,
  type CallflowSegment,
  channelOf,
  firstSegment,
  isStatic,
  type Leg,
  loopbackNumberIn,
  providerOf,
  providerOfTrunk,
  type TrunkCall,
  trunkCallsOf,
  userIn,
  uuidOf,
} from './freeswitch-trunks.ts'

/** The times of a call: of its leg, or of a part of it. */
type Times = Pick<Cdr, 'start' | 'duration' | 'billsec'>

/** A leg's billed call: a number that a trunk was called with, or the dialled one without a trunk. */
interface LegCall {
  readonly dst: string
  readonly carrierDst: string | undefined
  readonly times: Times
  readonly party: PartyHints
  readonly provider: ProviderHints
  readonly loopback?: LoopbackLeg | undefined
}

/** A leg with what decides about its calls. */
interface KnownLeg extends Leg {
  readonly clock: Clock
  readonly first: CallflowSegment
  readonly whole: Times & { readonly isAnswered: boolean }
  /** Moments with their fractions of a second, if the switch has them. */
  readonly start: Seconds
  readonly answer: Seconds
  readonly end: Seconds
  /** The id of the leg that dialled this leg; blank if none did. */
  readonly creator: string
  /** The id of the leg that dialled this leg, or that it was bridged to. */
  readonly originator: string
  readonly isDialled: boolean
  readonly trunkCalls: readonly TrunkCall[]
}

/**
 * The calls that a leg bills (docs/switches.md has the table). A dialling leg bills the numbers of its
 * trunks, otherwise the first dialled number. A dialled leg bills only what it did after it was transferred
 * or bridged away from its dialler: a trunk that continues, and a trunk that it called itself.
 */
export function callsOfLeg(leg: Leg, clock: Clock): Cdr[] {
  const known = knownLeg(leg, clock)
  const hangupcause = causeOf(leg.variable)
  const { isAnswered } = known.whole
  return [...ownCalls(known), ...onwardCalls(known)].map(
    ({ dst, carrierDst, times, party, provider, loopback }, index) => ({
      uniqueid: uuidOf(leg),
      part: index === 0 ? '' : String(index + 1),
      ...times,
      src: known.first.caller('caller_id_number'),
      dst,
      dialledDst: party.reached,
      carrierDst,
      carrierSrc: leg.variable('effective_caller_id_number') || undefined,
      disposition: dispositionByCause(isAnswered, hangupcause),
      hangupcause,
      channel: channelOf(known),
      party,
      provider,
      ...(loopback && { loopback }),
    }),
  )
}

function knownLeg(leg: Leg, clock: Clock): KnownLeg {
  const { variable, segments } = leg
  const first = firstSegment(leg)
  const texts = {
    start: firstFilled(variable, 'start_epoch', 'start_stamp', 'start_uepoch'),
    answer: firstFilled(variable, 'answer_epoch', 'answer_stamp', 'answer_uepoch'),
    end: firstFilled(variable, 'end_epoch', 'end_stamp', 'end_uepoch'),
    duration: variable('duration'),
    billsec: variable('billsec'),
  }
  const whole = timesOf((name) => texts[name], clock)
  const { isAnswered, ...times } = whole
  requireTimed(whole, isAnswered)
  const creator =
    firstFilled(variable, 'originator', 'originating_leg_uuid') || (first.originator?.('uuid') ?? '')
  const bridgedBy = segments.flatMap(({ originator }) => originator?.('uuid') || [])
  const isDialled = creator !== '' || segments.some(({ originator }) => originator !== undefined)
  return {
    ...leg,
    clock,
    first,
    whole: { ...times, isAnswered },
    ...exactMoments(leg, clock, times),
    creator,
    originator: creator || (bridgedBy[0] ?? ''),
    isDialled,
    trunkCalls: trunkCallsOf(leg, creator === '' ? 0 : 1),
  }
}

/** The moments of the leg to a microsecond, where its seconds agree with them. */
function exactMoments({ variable, segments }: Leg, clock: Clock, { start, duration, billsec }: Times) {
  const end = start + duration
  const time = (name: string, index: number) => segments.at(index)?.time(name) ?? ''
  const exact = (text: string, second: Seconds): Seconds => {
    const moment = clock(text)
    return moment !== undefined && Math.floor(moment) === second ? moment : second
  }
  return {
    start: exact(variable('start_uepoch') || time('created_time', 0), start),
    answer: exact(variable('answer_uepoch') || time('answered_time', -1), end - billsec),
    end: exact(variable('end_uepoch') || time('hangup_time', -1), end),
  }
}

function ownCalls(leg: KnownLeg): LegCall[] {
  if (isOfLoopback(leg)) return []
  if (isTrunk(leg)) return callsOfTrunk(leg)
  const { whole, first, segments, isDialled, trunkCalls } = leg
  if (isDialled || !trunkCalls.every((call) => isForward(leg, call))) return []
  const { isAnswered: _, ...times } = whole
  return [
    {
      dst: first.caller('destination_number'),
      carrierDst: bridgedText(leg),
      times,
      party: partyOf(leg, ''),
      provider: providerOf(leg, segments.length - 1),
    },
  ]
}

/** A trunk that was dialled bills what it did after it was moved, or all if a loopback dialled it. */
function callsOfTrunk(leg: KnownLeg): LegCall[] {
  const { segments, creator, whole } = leg
  if (creator !== '' && segments.length === 1) return []
  const { isAnswered: _, ...times } = whole
  const moved = startOf(leg, 1)
  const loopback = creator === '' ? undefined : loopbackOfTrunk(leg, creator, ownNumber(leg))
  const isWhole = creator === '' || (loopback && !loopback.isUncertain)
  const own = isWhole ? times : timesWithin(leg, moved, moved, leg.end)
  const dst = ownNumber(leg)
  const provider = providerOfTrunk(leg)
  return [{ dst, carrierDst: dst, times: own, party: partyOf(leg, ''), provider, loopback }]
}

/** The leg called an extension, which a loopback forwards: the call to the extension is a call of its own. */
function isForward({ first }: KnownLeg, { isLoopback, number }: TrunkCall): boolean {
  const dialled = first.caller('destination_number')
  return isLoopback && !isPhoneNumber(dialled) && !isSameNumber(dialled, number, true)
}

/** The calls that the leg made over trunks. */
const onwardCalls = (leg: KnownLeg): LegCall[] =>
  leg.trunkCalls.map((call) => {
    const { dst, reached } = dialledNumber(leg, call)
    const till = call.last === leg.segments.length - 1 ? leg.end : startOf(leg, call.last + 1)
    return {
      dst,
      carrierDst: call.isLoopback ? undefined : call.number,
      // The times of the dialled call, which end early if the leg continues without its trunk.
      times:
        reached === '' && call.segment === 0
          ? timesBetween(leg, leg.start, leg.answer, till)
          : timesOfOnward(leg, call, till),
      party: partyOf(leg, reached),
      provider: providerOf(leg, call.last),
      loopback: loopbackOf(leg, call, reached === ''),
    }
  })

/**
 * The dialplan may add digits to a number on its way to a trunk, but not to those an unauthenticated caller
 * dialled: that caller came over a trunk and dialled a DID, so a longer number is another one.
 */
function dialledNumber(leg: KnownLeg, { number, segment }: TrunkCall): { dst: string; reached: string } {
  const destinations = leg.segments.slice(0, segment + 1).map(({ caller }) => caller('destination_number'))
  const isSame = (dialled: string, index: number) =>
    isSameNumber(dialled, number, index > 0 || userOf(leg) !== '')
  const reached = destinations.findLast((dialled, index) => !isSame(dialled, index)) ?? ''
  return { dst: destinations.findLast(isSame) ?? number, reached }
}

/** A trunk that the leg reached after its answer is billed from the bridge on. */
function timesOfOnward(leg: KnownLeg, { segment }: TrunkCall, till: Seconds): Times {
  const start = segment === 0 ? leg.start : startOf(leg, segment)
  const bridged = momentOf(leg, segment, 'bridged_time', 'bridge_epoch') ?? start
  return timesWithin(leg, start, bridged, till)
}

const timesWithin = (leg: KnownLeg, start: Seconds, from: Seconds, till: Seconds): Times =>
  timesBetween(leg, start, leg.whole.isAnswered ? Math.max(start, from, leg.answer) : till, till)

/** The seconds of the whole leg are those of the switch; of a part, a second that has begun counts. */
function timesBetween({ whole, ...leg }: KnownLeg, start: Seconds, answer: Seconds, till: Seconds): Times {
  const isToEnd = till === leg.end
  const isAnswerOfLeg = whole.isAnswered && Math.floor(answer) === Math.floor(leg.answer)
  return {
    start: Math.floor(start),
    duration: isToEnd && start === leg.start ? whole.duration : wholeSeconds(Math.max(0, till - start)),
    billsec: isToEnd && isAnswerOfLeg ? whole.billsec : wholeSeconds(Math.max(0, till - answer)),
  }
}

/** The moment at which a segment began; that of the leg if the switch does not have it. */
const startOf = (leg: KnownLeg, segment: number): Seconds =>
  momentOf(leg, segment, 'profile_created_time', 'profile_start_epoch') ?? leg.start

/** The variables tell the moments of the newest segment. */
function momentOf(
  { segments, variable, clock }: KnownLeg,
  segment: number,
  time: string,
  newest: string,
): Seconds | undefined {
  const moment = clock(segments[segment]?.time(time) ?? '')
  return moment ?? (segment === segments.length - 1 ? clock(variable(newest)) : undefined)
}

/** The leg goes to a carrier: over a gateway, or to a phone number that is not a registered user. */
function isTrunk(leg: KnownLeg): boolean {
  const { variable } = leg
  if (variable('direction') !== 'outbound') return false
  if (variable('sip_gateway_name') !== '') return true
  return variable('dialed_user') === '' && isPhoneNumber(ownNumber(leg)) && isStatic(channelOf(leg))
}

const ownNumber = (leg: KnownLeg): string =>
  userIn(leg.first.caller('destination_number')) || userIn(channelOf(leg))

const causeOf = (variable: Field): number =>
  hangupCauseOf(variable('hangup_cause_q850')) ?? hangupCauseOf(variable('hangup_cause')) ?? NORMAL_CLEARING

/** `sip_from_user` is ignored, because a caller may write anything into From. */
const userOf = ({ variable }: KnownLeg): string =>
  firstFilled(variable, 'sip_auth_username', 'user_name', 'dialed_user')

/**
 * A dialled leg's customer is that of the leg that dialled it; its own names are the called side's. A number
 * that the caller reached before the trunk (`reached`) comes first: its owner transferred or forwarded.
 */
function partyOf(leg: KnownLeg, reached: string): PartyHints {
  const { variable, first, isDialled, originator } = leg
  const accountCode = variable('accountcode')
  if (isDialled) {
    return { ...NO_HINTS, accountCode: isTrunk(leg) ? accountCode : '', originator }
  }
  const user = userOf(leg)
  return {
    accountCode,
    device: user,
    sipUser: user,
    did: first.caller('destination_number'),
    ip: firstFilled(variable, 'sip_network_ip', 'network_addr') || first.caller('network_addr'),
    ...(reached !== '' && { reached }),
  }
}

const NO_HINTS = { accountCode: '', device: '', sipUser: '', did: '', ip: '' }

// FreeSWITCH's loopback (mod_loopback.c) puts two legs between the leg that dials it and the trunk: A, which
// is dialled, and B, which executes the dialplan and calls the trunk. Two seconds after the answer both may
// bow out, and the dialler is bridged to the trunk.

const isOfLoopback = (leg: Leg): boolean => loopbackNumberIn(channelOf(leg)) !== undefined

/** The legs that a leg was bridged to in the segments of a call. */
function partnersOf({ segments, variable }: Leg, { segment, last }: TrunkCall): string[] {
  const isNewest = last === segments.length - 1
  return [
    ...segments.slice(segment, last + 1).map(({ partner }) => partner('uuid')),
    isNewest ? firstFilled(variable, 'bridge_uuid', 'last_bridge_to') : '',
  ]
}

/** A forward is billed only if the loopback called a trunk: it may lead to a phone. */
function loopbackOf(leg: Leg, call: TrunkCall, isDialled: boolean): LoopbackLeg | undefined {
  if (isOfLoopback(leg)) return loopbackOfInner(leg, call)
  if (!call.isLoopback) return undefined
  const ids = filledOnce(uuidOf(leg), ...partnersOf(leg, call))
  return { role: 'dialler', ids, number: call.number, billsAlone: isDialled }
}

/** Without a leg that dialled it (`originate loopback/...`), a loopback has no caller's address. */
function loopbackOfInner(leg: Leg, call: TrunkCall): LoopbackLeg {
  const { variable } = leg
  const [other, dialler] = [variable('other_loopback_leg_uuid'), variable('other_loopback_from_uuid')]
  const others = filledOnce(other, dialler, ...partnersOf(leg, call))
  if (others.length === 0) throw cdrRefused('unreadable', NO_LOOPBACK_COLUMN)
  const dialled = loopbackNumberIn(channelOf(leg)) ?? ''
  const isDialled = isPhoneNumber(dialled) && isSameNumber(dialled, call.number, true)
  const hasDialler = dialler !== '' || firstSegment(leg).caller('network_addr') !== ''
  const isBowedOut = variable('loopback_hangup_cause') !== ''
  const billsAlone = !isBowedOut && !(isDialled && hasDialler)
  return { role: 'inner', ids: filledOnce(uuidOf(leg), ...others), number: call.number, billsAlone }
}

const NO_LOOPBACK_COLUMN =
  'it is a leg of a loopback, and nothing tells whose: add other_loopback_leg_uuid and other_loopback_from_uuid to the template'

/**
 * A trunk that continues after its loopback bowed out: its dialler shows that, or other_leg_true_id, which
 * names the loopback's dialler. A name of no channel tells nothing: such a trunk waits for other legs.
 */
function loopbackOfTrunk(leg: Leg, creator: string, number: string): LoopbackLeg | undefined {
  if (!leg.transfers[0]?.includes(':uuid_br:')) return undefined
  const channel = firstSegment(leg).originator?.('chan_name') ?? ''
  const dialler = leg.variable('other_leg_true_id')
  const [role, ids] = ['trunk' as const, filledOnce(uuidOf(leg), creator, dialler)]
  if (dialler !== '') return { role, ids, number, billsAlone: false }
  if (loopbackNumberIn(channel) !== undefined) return { role, ids, number, billsAlone: true }
  if (channel === '') return { role, ids: [uuidOf(leg)], number, billsAlone: true, isUncertain: true }
  return channel.includes('/') ? undefined : { role, ids, number, billsAlone: false }
}
