import { cdrRefused, type LoopbackLeg } from './cdr.ts'
import { filledOnce, firstFilled, isPhoneNumber, isSameNumber } from './fields.ts'
import {
  channelOf,
  firstSegment,
  type Leg,
  loopbackNumberIn,
  type TrunkCall,
  uuidOf,
} from './freeswitch-trunks.ts'

// FreeSWITCH's loopback (mod_loopback.c) puts two legs between the leg that dials it and the trunk: A, which
// is dialled, and B, which executes the dialplan and calls the trunk. Two seconds after the answer both may
// bow out, and the dialler is bridged to the trunk.

export const isOfLoopback = (leg: Leg): boolean => loopbackNumberIn(channelOf(leg)) !== undefined

/** The legs that a leg was bridged to in the segments of a call. */
function partnersOf({ segments, variable }: Leg, { segment, last }: TrunkCall): string[] {
  const isNewest = last === segments.length - 1
  return [
    ...segments.slice(segment, last + 1).map(({ partner }) => partner('uuid')),
    isNewest ? firstFilled(variable, 'bridge_uuid', 'last_bridge_to') : '',
  ]
}

/** A forward is billed only if the loopback called a trunk: it may lead to a phone. */
export function loopbackOf(leg: Leg, call: TrunkCall, isDialled: boolean): LoopbackLeg | undefined {
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
 * A trunk that continues after its loopback bowed out: its dialler tells that, or other_leg_true_id, which
 * names the loopback's dialler. A name of no channel tells nothing: such a trunk waits for other legs.
 */
export function loopbackOfTrunk(leg: Leg, creator: string, number: string): LoopbackLeg | undefined {
  if (!leg.transfers[0]?.includes(':uuid_br:')) return undefined
  const channel = firstSegment(leg).originator?.('chan_name') ?? ''
  const dialler = leg.variable('other_leg_true_id')
  const [role, ids] = ['trunk' as const, filledOnce(uuidOf(leg), creator, dialler)]
  if (dialler !== '') return { role, ids, number, billsAlone: false }
  if (loopbackNumberIn(channel) !== undefined) return { role, ids, number, billsAlone: true }
  if (channel === '') return { role, ids: [uuidOf(leg)], number, billsAlone: true, isUncertain: true }
  return channel.includes('/') ? undefined : { role, ids, number, billsAlone: false }
}
