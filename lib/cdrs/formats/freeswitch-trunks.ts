import type { ProviderHints } from '#lib/rates/provider.ts'
import { type Field, filledOnce, isPhoneNumber, isSameNumber } from './fields.ts'

/** A leg of a call: its channel's variables, its segments, oldest first, and what began each later one. */
export interface Leg {
  readonly variable: Field
  readonly transfers: readonly string[]
  readonly segments: readonly CallflowSegment[]
}

/**
 * A segment of a leg between two transfers: FreeSWITCH gives a leg a new caller profile when it is
 * transferred (switch_ivr_session_transfer) or bridged to another leg (switch_ivr_uuid_bridge).
 */
export interface CallflowSegment {
  readonly caller: Field
  /** The profile of the leg that this leg dialled and was bridged to (`originatee`). */
  readonly partner: Field
  /** The profile of the leg that dialled this one or was bridged to it, if any. */
  readonly originator: Field | undefined
  /** Moments in microseconds. */
  readonly time: Field
}

const BLANK: Field = () => ''
const NO_SEGMENT: CallflowSegment = { caller: BLANK, partner: BLANK, originator: undefined, time: BLANK }

export const firstSegment = ({ segments }: Leg): CallflowSegment => segments[0] ?? NO_SEGMENT

export const channelOf = (leg: Leg): string => ownText(leg, 'channel_name', 'chan_name')

export const uuidOf = (leg: Leg): string => ownText(leg, 'uuid', 'uuid')

/**
 * A leg that executes the dialplan of a loopback in its place gets the variables of the loopback, its id and
 * channel included (channel_on_execute in mod_loopback.c). Then its own are those of its profile.
 */
function ownText(leg: Leg, variable: string, inProfile: string): string {
  const { caller } = firstSegment(leg)
  const isOther = isLoopback(leg.variable('channel_name')) && caller('chan_name') !== ''
  return (isOther ? '' : leg.variable(variable)) || caller(inProfile)
}

/** A number that a leg called over a trunk, and the first and last segment of that call. */
export interface TrunkCall {
  readonly number: string
  readonly segment: number
  readonly last: number
  /** The trunk was called by the legs of a loopback, which this leg dialled. */
  readonly isLoopback: boolean
}

/** Numbers that a leg called over trunks from a segment on. Repeats in a row are one call. */
export function trunkCallsOf(leg: Leg, from: number): TrunkCall[] {
  const calls: TrunkCall[] = []
  for (let segment = from; segment < leg.segments.length; segment += 1) {
    const before = calls.at(-1)?.last === segment - 1 ? calls.at(-1) : undefined
    const call = callIn(leg, segment, before)
    if (before && before.number === call?.number) calls[calls.length - 1] = { ...before, last: segment }
    else if (call) calls.push(call)
  }
  return calls
}

const callIn = (leg: Leg, segment: number, before: TrunkCall | undefined): TrunkCall | undefined =>
  before && continuesWithoutLoopback(leg, segment, before) ? before : callOverTrunk(leg, segment)

function callOverTrunk(leg: Leg, segment: number): TrunkCall | undefined {
  const looped = loopbackNumber(leg, segment)
  const number = looped ?? trunkNumber(leg, segment)
  return number === undefined
    ? undefined
    : { number, segment, last: segment, isLoopback: looped !== undefined }
}

/** The name of a leg of a loopback: A is dialled, B executes the dialplan (mod_loopback.c). */
const LOOPBACK = /^loopback\/(.*)-[ab]$/s

const isLoopback = (channel: string): boolean => LOOPBACK.test(channel)

export const loopbackNumberIn = (channel: string): string | undefined => LOOPBACK.exec(channel)?.[1]

/** The phone number that a leg called through a loopback in a segment. */
function loopbackNumber(leg: Leg, segment: number): string | undefined {
  const isNewest = segment === leg.segments.length - 1
  const { partner } = leg.segments[segment] ?? NO_SEGMENT
  const channel = partner('chan_name') || (isNewest ? leg.variable('bridge_channel') : '')
  const number = loopbackNumberIn(channel)
  if (number === undefined || isUnanswered(leg, segment)) return undefined
  return isPhoneNumber(number) ? number : undefined
}

/** A loopback bows out two seconds after the answer: its dialler is bridged to the trunk (uuid_bridge). */
function continuesWithoutLoopback(leg: Leg, segment: number, { number, isLoopback }: TrunkCall): boolean {
  if (!isLoopback || !isBridgedAway(leg, segment)) return false
  const { partner } = leg.segments[segment] ?? NO_SEGMENT
  const called = userIn(partner('destination_number')) || userIn(leg.variable('bridge_channel'))
  return called === '' || isSameNumber(number, called, true)
}

/** `sofia/gateway/potomac/12025550171` in a bridge; a profile and `::` may precede the name. */
const GATEWAY = /sofia\/gateway\/([^/,|]+)\/([^,|:@;]*)/g

/** Dial strings that lead to users and services of the switch itself. */
const LOCAL = /^(?:[{[<][^}\]>]*[}\]>])*(?:user|group|loopback|error|pickup|verto|sofia\/[^/]*\/[^@]*%)/

/** Contacts of registered users have `sip:`. */
export const isStatic = (channel: string): boolean => !/\/sips?:/.test(channel)

/** The number that a trunk was called with in a segment; `undefined` without a trunk. */
function trunkNumber(leg: Leg, segment: number): string | undefined {
  const { variable, segments } = leg
  const isNewest = segment === segments.length - 1
  if (isBridgedAway(leg, segment) || isUnanswered(leg, segment)) return undefined
  const { partner } = segments[segment] ?? NO_SEGMENT
  const channel = (isNewest && variable('bridge_channel')) || partner('chan_name')
  const called = userIn(partner('destination_number')) || userIn(channel)
  return numberOnTrunk(called, channel, isNewest ? variable('last_arg') : '')
}

/** A leg that was bridged to another one (uuid_bridge) has not dialled it. */
const isBridgedAway = ({ transfers }: Leg, segment: number): boolean =>
  transfers[segment - 1]?.includes(':uuid_br:') === true

/** Several targets of a dial string. */
const ALTERNATIVES = /[,|]|:_:/

function numberOnTrunk(called: string, channel: string, dialString: string): string | undefined {
  const overGateways = Array.from(dialString.matchAll(GATEWAY), ([, , number = '']) => number)
  const [overGateway] = overGateways
  if (called === '') return undefined
  if (overGateways.includes(called)) return called
  if (overGateway && !ALTERNATIVES.test(dialString)) return overGateway
  if (LOCAL.test(dialString) || !isStatic(channel)) return undefined
  return isPhoneNumber(called) ? called : undefined
}

/** The text of a leg's newest bridge, if no plain number: `1234#442079460000` has a carrier's prefix. */
export function bridgedText({ variable }: Leg): string | undefined {
  const channel = variable('bridge_channel')
  const text = userIn(channel)
  return /\d/.test(text) && isStatic(channel) && !LOCAL.test(variable('last_arg')) ? text : undefined
}

/**
 * The bridge ended before the called side answered: the leg's seconds are those of an earlier answer. The
 * called side may put any cause into its BYE's Reason, but then the SIP status is 200 (sofia_handle_sip_i_bye
 * in sofia.c). The variables are of the last bridge, perhaps of an earlier segment.
 */
function isUnanswered({ variable, segments }: Leg, segment: number): boolean {
  const isLastBridge = segments.slice(segment + 1).every(({ partner }) => partner('chan_name') === '')
  const isBySip200 = variable('last_bridge_proto_specific_hangup_cause') === 'sip:200'
  return isLastBridge && !isBySip200 && UNANSWERED.has(variable('bridge_hangup_cause'))
}

const UNANSWERED = new Set([
  'ORIGINATOR_CANCEL',
  'NO_ANSWER',
  'NO_USER_RESPONSE',
  'USER_BUSY',
  'CALL_REJECTED',
])

/** `1002` in `sofia/internal/sip:1002@198.51.100.7:5060`, and in `1002`. */
export const userIn = (target: string): string => /(?:[^/]*\/)*(?:sips?:)?([^@/;]*)/.exec(target)?.[1] ?? ''

/** The end of `sofia/external/12025550171@192.0.2.200:5060`. */
const ADDRESS = /^@(\[[^\]]+\]|[^:/]+)(?::\d+)?$/

const addressIn = (channel: string): string =>
  ADDRESS.exec(channel.slice(channel.lastIndexOf('@')))?.[1] ?? ''

/**
 * The carriers of a call that ended in a segment. `sip_gateway` is the gateway of the origination (sofia.c),
 * `sip_gateway_name` that of the termination. The variables name the bridge of the newest segment.
 */
export function providerOf(leg: Leg, segment: number): ProviderHints {
  const { variable, segments } = leg
  const isNewest = segment === segments.length - 1
  const dialled = isNewest ? (Array.from(variable('last_arg').matchAll(GATEWAY))[0]?.[1] ?? '') : ''
  const bridged = isNewest ? variable('bridge_channel') : (segments[segment]?.partner('chan_name') ?? '')
  return {
    out: {
      names: filledOnce(
        variable('sip_gateway_name'),
        dialled.slice(dialled.lastIndexOf('::') + 1).replace(/^:/, ''),
      ),
      addresses: filledOnce(addressIn(bridged)),
      channels: filledOnce(bridged),
    },
    in: {
      names: filledOnce(variable('sip_gateway')),
      addresses: filledOnce(variable('sip_network_ip')),
      channels: filledOnce(channelOf(leg)),
    },
  }
}

/** The carrier of a leg that goes to a trunk itself. */
export const providerOfTrunk = (leg: Leg): ProviderHints => ({
  out: {
    names: filledOnce(leg.variable('sip_gateway_name')),
    addresses: filledOnce(addressIn(channelOf(leg))),
    channels: filledOnce(channelOf(leg)),
  },
  in: { names: [], addresses: [], channels: [] },
})
