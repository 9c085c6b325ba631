// The legs of a 60-second call through FreeSWITCH's loopback, as mod_json_cdr writes them: dialler D,
// loopback legs A and B, trunk T (mod_loopback.c, switch_ivr_uuid_bridge in switch_ivr_bridge.c).

export const ABROAD = '442079460000'

const START = 1_773_136_800
const [ANSWER, BOWOUT, END] = [5, 7, 65]

export interface LoopbackCall {
  /** The number that the caller dials: an extension is forwarded. */
  readonly dialled: string
  /**
   * `off`: all legs last to the end. `bridge`: D is bridged to T two seconds after the answer. `execute`: D
   * executes the dialplan of B itself, and calls the trunk.
   */
  readonly bowout: 'off' | 'bridge' | 'execute'
  /** The account code in the dial string of the loopback. */
  readonly accountCode?: string | undefined
  /** By an old module or a page: without leg names, and with is_loopback as the only module variable. */
  readonly isSparse?: boolean
}

type Variables = Readonly<Record<string, string | undefined>>

interface Profile {
  readonly dst: string
  readonly partner?: readonly [uuid: string, number: string, channel: string] | undefined
  readonly originator?: readonly [uuid: string, channel: string] | undefined
  readonly from: number
  readonly bridged?: number
}

interface Leg {
  readonly uuid: string
  readonly channel: string
  readonly from: number
  readonly till: number
  readonly variables: Variables
  /** Oldest first. */
  readonly profiles: readonly Profile[]
}

const CALLER = 'sofia/internal/1001@sip.example.net'
const TRUNK = `sofia/external/${ABROAD}`
const A = `loopback/${ABROAD}-a`
const B = `loopback/${ABROAD}-b`

/** The legs in the order in which they began. */
export function loopbackLegs(call: LoopbackCall): unknown[] {
  const legs = call.bowout === 'execute' ? executedLegs(call) : bridgedLegs(call)
  return legs.map((leg) => written(leg, call))
}

const bridgedLegs = (call: LoopbackCall): Leg[] => [diallerOf(call), ...innerLegs(call), trunkOf(call)]

function diallerOf({ dialled, bowout, accountCode }: LoopbackCall): Leg {
  const isOut = bowout === 'bridge'
  const moved: Profile = { dst: dialled, partner: ['t', ABROAD, TRUNK], from: BOWOUT, bridged: BOWOUT }
  return {
    ...leg('d', CALLER, 0, END),
    variables: {
      ...PHONE,
      ...bridge(dialArg(accountCode), ...(isOut ? ['t', TRUNK] : ['a', A])),
      ...uuidBridge(isOut, 't'),
    },
    profiles: [
      { dst: dialled, partner: ['a', ABROAD, A], from: 0, bridged: ANSWER },
      ...(isOut ? [moved] : []),
    ],
  }
}

function innerLegs({ bowout, accountCode }: LoopbackCall): Leg[] {
  const isOut = bowout === 'bridge'
  const till = isOut ? BOWOUT : END
  const ofA = loopback('A', 'b', isOut ? 'bridge' : undefined, isOut ? 'd' : undefined)
  const ofB = loopback('B', 'a', isOut ? 'bridge' : undefined, isOut ? 't' : undefined)
  return [
    {
      ...leg('a', A, 0, till),
      variables: { ...OUTBOUND, originator: 'd', accountcode: accountCode, ...ofA, loopback_from_uuid: 'd' },
      profiles: [{ dst: ABROAD, originator: ['d', CALLER], from: 0 }],
    },
    {
      ...leg('b', B, 1, till),
      variables: {
        direction: 'inbound',
        accountcode: accountCode,
        ...bridge(`sofia/gateway/potomac/${ABROAD}`, 't', TRUNK),
        ...ofB,
        other_loopback_from_uuid: 'd',
      },
      profiles: [{ dst: ABROAD, partner: ['t', ABROAD, TRUNK], from: 1, bridged: ANSWER }],
    },
  ]
}

function trunkOf({ bowout, accountCode }: LoopbackCall): Leg {
  const isOut = bowout === 'bridge'
  const moved: Profile = { dst: ABROAD, originator: ['d', CALLER], from: BOWOUT, bridged: BOWOUT }
  return {
    ...leg('t', TRUNK, 1, END),
    variables: {
      ...OUTBOUND,
      originator: 'b',
      sip_gateway_name: 'potomac',
      accountcode: accountCode,
      other_leg_true_id: 'd',
      ...uuidBridge(isOut, 'd'),
    },
    profiles: [{ dst: ABROAD, originator: ['b', B], from: 1, bridged: ANSWER }, ...(isOut ? [moved] : [])],
  }
}

/** D gets B's profile, variables, id and channel (switch_channel_caller_extension_masquerade). */
function executedLegs({ dialled, accountCode }: LoopbackCall): Leg[] {
  const ofB = {
    direction: 'inbound',
    accountcode: accountCode,
    ...loopback('B', 'a', 'bowout', 'd'),
    other_loopback_from_uuid: 'd',
  }
  return [
    {
      ...leg('d', CALLER, 0, END),
      variables: {
        ...PHONE,
        ...ofB,
        uuid: 'b',
        channel_name: B,
        ...bridge(`sofia/gateway/potomac/${ABROAD}`, 't', TRUNK),
      },
      profiles: [
        { dst: dialled, from: 0 },
        { dst: ABROAD, from: 1, partner: ['t', ABROAD, TRUNK], bridged: ANSWER },
      ],
    },
    {
      ...leg('a', A, 0, 1),
      variables: {
        ...OUTBOUND,
        originator: 'd',
        accountcode: accountCode,
        ...loopback('A', 'b', undefined, undefined),
      },
      profiles: [{ dst: ABROAD, originator: ['d', CALLER], from: 0 }],
    },
    { ...leg('b', B, 0, 1), variables: ofB, profiles: [{ dst: ABROAD, from: 0 }] },
    {
      ...leg('t', TRUNK, 1, END),
      variables: { ...OUTBOUND, originator: 'd', sip_gateway_name: 'potomac' },
      profiles: [{ dst: ABROAD, originator: ['d', CALLER], from: 1, bridged: ANSWER }],
    },
  ]
}

const PHONE = {
  direction: 'inbound',
  sip_auth_username: '1001',
  user_name: '1001',
  sip_network_ip: '198.51.100.10',
}
const OUTBOUND = { direction: 'outbound' }

const leg = (uuid: string, channel: string, from: number, till: number) => ({ uuid, channel, from, till })

const dialArg = (accountCode: string | undefined): string =>
  `${accountCode === undefined ? '' : `{accountcode=${accountCode}}`}loopback/${ABROAD}/default`

const bridge = (last_arg: string, uuid?: string, bridge_channel?: string): Variables => ({
  last_app: 'bridge',
  last_arg,
  bridge_channel,
  last_bridge_to: uuid,
  bridge_uuid: uuid,
})

const uuidBridge = (isOut: boolean, other: string): Variables => {
  const source = `${START + BOWOUT}:${other}-profile:uuid_br:${other}`
  return isOut ? { transfer_history: source, transfer_source: source } : {}
}

const loopback = (
  side: string,
  other: string,
  cause: string | undefined,
  real: string | undefined,
): Variables => ({
  is_loopback: '1',
  loopback_leg: side,
  other_loopback_leg_uuid: other,
  loopback_hangup_cause: cause,
  loopback_bowout_other_uuid: real,
})

/** The variables of the module, but for is_loopback. */
const OF_MODULE = /^(?:loopback_|other_loopback_|other_leg_)/

/** Without a bowout, sparse legs name their side and their other leg. */
const isTold = (name: string, { isSparse, bowout }: LoopbackCall): boolean =>
  !isSparse || !OF_MODULE.test(name) || (bowout === 'off' && /_leg$|_leg_uuid$/.test(name))

function written({ uuid, channel, from, till, variables, profiles }: Leg, call: LoopbackCall): unknown {
  const isDown = till < ANSWER
  const moved = profiles.at(-1)?.from ?? from
  const told = Object.entries({
    ...times(from, till, moved, isDown),
    uuid,
    channel_name: channel,
    ...variables,
  }).flatMap(([name, text]) =>
    text !== undefined && isTold(name, call) ? [[name, encodeURIComponent(text)]] : [],
  )
  return {
    variables: Object.fromEntries(told),
    callflow: profiles.map((profile) => callflowOf(profile, { uuid, chan_name: channel }, call)).reverse(),
  }
}

const callflowOf = (
  { dst, partner, originator, from, bridged }: Profile,
  own: { readonly uuid: string; readonly chan_name: string },
  { isSparse }: LoopbackCall,
) => ({
  caller_profile: {
    username: '1001',
    caller_id_number: '12025550130',
    network_addr: '198.51.100.10',
    destination_number: dst,
    ...own,
    ...(partner && { originatee: { originatee_caller_profiles: [partnerOf(partner)] } }),
    ...(originator && {
      originator: {
        originator_caller_profiles: [{ uuid: originator[0], chan_name: isSparse ? 'x' : originator[1] }],
      },
    }),
  },
  times: {
    profile_created_time: micros(from),
    bridged_time: bridged === undefined ? '0' : micros(bridged),
  },
})

const partnerOf = ([uuid, destination_number, chan_name]: readonly [string, string, string]) => ({
  uuid,
  destination_number,
  chan_name,
})

const micros = (second: number): string => String((START + second) * 1_000_000)

function times(from: number, till: number, profile: number, isDown: boolean): Variables {
  return {
    start_stamp: '2026-03-10 10:00:00',
    start_epoch: String(START + from),
    profile_start_epoch: String(START + profile),
    answer_epoch: isDown ? '0' : String(START + ANSWER),
    end_epoch: String(START + till),
    duration: String(till - from),
    billsec: String(isDown ? 0 : till - ANSWER),
    hangup_cause: isDown ? 'NO_ANSWER' : 'NORMAL_CLEARING',
  }
}
