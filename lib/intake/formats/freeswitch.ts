import type { Clock } from '#lib/intake/clock.ts'
import { dispositionByCause } from '#lib/intake/disposition.ts'
import { hangupCauseOf, NORMAL_CLEARING } from '#lib/intake/hangup-cause.ts'
import type { PartyHints, ProviderHints, SwitchCall } from '#lib/intake/record.ts'
import { timesOf } from '#lib/intake/seconds.ts'
import { type Field, firstOf, said } from '#lib/intake/texts.ts'

/** One leg of a call: the variables of its channel, and the profile of its caller when it was dialled. */
export interface Leg {
  readonly variable: Field
  readonly caller: Field
}

/**
 * The call of a leg. The variables are those that switch_channel_set_timestamps sets when a channel hangs up
 * (switch_channel.c of FreeSWITCH), the profile that of switch_ivr_set_json_profile_data (switch_ivr.c).
 */
export function callOfLeg(leg: Leg, clock: Clock): SwitchCall {
  const { variable, caller } = leg
  const { isAnswered, ...times } = timesOf(
    {
      start: firstOf(variable, 'start_epoch', 'start_stamp'),
      answer: firstOf(variable, 'answer_epoch', 'answer_stamp'),
      end: firstOf(variable, 'end_epoch', 'end_stamp'),
      duration: variable('duration'),
      billsec: variable('billsec'),
    },
    clock,
  )
  const hangupcause = causeOf(variable)
  return {
    uniqueid: firstOf(variable, 'uuid') || caller('uuid'),
    part: '',
    ...times,
    src: caller('caller_id_number'),
    dst: caller('destination_number'),
    disposition: dispositionByCause(isAnswered, hangupcause),
    hangupcause,
    channel: channelOf(leg),
    party: partyOf(leg),
    provider: providerOf(leg),
  }
}

const causeOf = (variable: Field): number =>
  hangupCauseOf(variable('hangup_cause_q850')) ?? hangupCauseOf(variable('hangup_cause')) ?? NORMAL_CLEARING

const channelOf = ({ variable, caller }: Leg): string => variable('channel_name') || caller('chan_name')

/** `sip_from_user` is not asked: a caller may write into From whatever it likes. */
function partyOf({ variable, caller }: Leg): PartyHints {
  const user = firstOf(variable, 'sip_auth_username', 'user_name')
  return {
    accountCode: variable('accountcode'),
    device: user,
    sipUser: user,
    did: caller('destination_number'),
    ip: firstOf(variable, 'sip_network_ip', 'network_addr') || caller('network_addr'),
  }
}

/** `sofia/gateway/potomac/12025550171`, as an outgoing call is bridged. */
const GATEWAY = /sofia\/gateway\/(?:[^/]+::)?([^/,|]+)\//

/** `sofia/external/12025550171@192.0.2.200:5060`. */
const ADDRESS = /@(\[[^\]]+\]|[^:@/]+)(?::\d+)?$/

/** `sip_gateway` is the gateway that a call came in by (sofia.c), `sip_gateway_name` the one it went out by. */
function providerOf(leg: Leg): ProviderHints {
  const { variable } = leg
  const [, dialled = ''] = GATEWAY.exec(variable('last_arg')) ?? []
  const bridged = variable('bridge_channel')
  const [, address = ''] = ADDRESS.exec(bridged) ?? []
  return {
    out: {
      names: said(variable('sip_gateway_name'), dialled),
      addresses: said(address),
      channels: said(bridged),
    },
    in: {
      names: said(variable('sip_gateway')),
      addresses: said(variable('sip_network_ip')),
      channels: said(channelOf(leg)),
    },
  }
}
