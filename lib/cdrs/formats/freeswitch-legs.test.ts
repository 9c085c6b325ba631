import { expect, test } from 'vitest'
import { cdrsIn, foundIn, parserFor } from '#test/mediation/switch-documents.ts'

const readJson = parserFor({ format: 'freeswitch-json', source: 'fs1', zone: 'UTC' })
const readXml = parserFor({ format: 'freeswitch-xml', source: 'fs1', zone: 'UTC' })

const ABROAD = '442079460000'
const MOBILE = '37060012345'
const DID = '12025550100'
const PHONE = 'sofia/internal/1003@198.51.100.10:5060'
const CARRIER = `sofia/external/${ABROAD}`

const START = 1_773_136_800

/** A callflow of a leg. Moments are seconds from the start of the leg. */
interface Flow {
  readonly dialled: string
  /** The number and the channel that this leg called. */
  readonly called?: readonly [number: string, channel: string]
  /** The leg that dialled this leg, or that it was bridged to. */
  readonly originator?: string
  readonly from?: number
  readonly bridged?: number
}

type Variables = Readonly<Record<string, string>>

const moment = (seconds: number | undefined): string =>
  seconds === undefined ? '0' : String((START + seconds) * 1_000_000)

const callflow = ({ dialled, called, originator, from, bridged }: Flow) => ({
  caller_profile: {
    destination_number: dialled,
    ...(called && {
      originatee: { originatee_caller_profiles: [{ destination_number: called[0], chan_name: called[1] }] },
    }),
    ...(originator && { originator: { originator_caller_profiles: [{ uuid: originator }] } }),
  },
  times: { profile_created_time: moment(from), bridged_time: moment(bridged) },
})

/** A leg of 100 seconds, answered after 10. Callflows come in order, and are written newest first. */
function legOf(variables: Variables, ...flows: readonly Flow[]) {
  const times = {
    start_epoch: String(START),
    answer_epoch: String(START + 10),
    end_epoch: String(START + 100),
    duration: '100',
    billsec: '90',
  }
  return { variables: { uuid: 'a', ...times, ...variables }, callflow: flows.map(callflow).reverse() }
}

/** mod_xml_cdr encodes variables, but not profiles, and writes an element for each value of a list. */
function xmlOf({ variables, callflow }: ReturnType<typeof legOf>): string {
  const texts = Object.entries(variables).flatMap(([name, text]) =>
    text
      .replace(/^ARRAY::/, '')
      .split('|:')
      .map((one) => xml(name, encodeURIComponent(one))),
  )
  return xml('cdr', xml('variables', texts.join('')) + callflow.map((flow) => xml('callflow', flow)).join(''))
}

/** An element. A list of profiles has an element for each, whose name is singular. */
function xml(name: string, content: unknown): string {
  if (Array.isArray(content)) return content.map((one) => xml(name.replace(/s$/, ''), one)).join('')
  if (typeof content !== 'object' || content === null) return `<${name}>${content}</${name}>`
  return xml(
    name,
    Object.entries(content)
      .map(([child, text]) => xml(child, text))
      .join(''),
  )
}

/** mod_json_cdr encodes variables unless `encode-values` is false. */
function encodedOf(leg: ReturnType<typeof legOf>): string {
  const given = { ...leg.variables, start_stamp: '2026-03-10 10:00:00' }
  const texts = Object.entries(given).map(([name, text]) => [name, encodeURIComponent(text)])
  return JSON.stringify({ ...leg, variables: Object.fromEntries(texts) })
}

/** The calls of a leg, in both forms of JSON and in XML. */
function callsOf(variables: Variables, ...flows: readonly Flow[]) {
  const leg = legOf(variables, ...flows)
  const cdrs = cdrsIn(readJson(JSON.stringify(leg)))
  expect(cdrsIn(readJson(encodedOf(leg)))).toEqual(cdrs)
  if (flows.length > 0) expect(cdrsIn(readXml(xmlOf(leg)))).toEqual(cdrs)
  return cdrs.map(({ start, party, provider, ...cdr }) => ({
    ...cdr,
    from: start - START,
    party,
    reached: party.reached,
    carriers: [...provider.out.names, ...provider.out.addresses],
    origin: [...provider.in.names, ...provider.in.addresses, ...provider.in.channels],
  }))
}

const FROM_1001 = {
  direction: 'inbound',
  channel_name: 'sofia/internal/1001@sip.example.net',
  sip_auth_username: '1001',
}
const FROM_OUTSIDE = { direction: 'inbound', channel_name: 'sofia/external/12125550199@192.0.2.200' }
const WHOLE = { from: 0, duration: 100, billsec: 90 }

test.each([
  ['a gateway', `sofia/gateway/potomac/${ABROAD}`, CARRIER],
  ['a gateway of a profile', `sofia/gateway/external::potomac/${ABROAD}`, CARRIER],
  ['a gateway with settings', `{ignore_early_media=true}sofia/gateway/potomac/${ABROAD}`, CARRIER],
  ['the second of two gateways', `sofia/gateway/a/1${ABROAD}|sofia/gateway/potomac/${ABROAD}`, CARRIER],
  ['a carrier by its address', `sofia/external/${ABROAD}@192.0.2.200`, `${CARRIER}@192.0.2.200`],
  ['a carrier over a card', `freetdm/1/a/${ABROAD}`, 'FreeTDM/1:1'],
  ['a carrier by a script, which leaves no dial string', '', CARRIER],
])('an extension that rings %s bills the number abroad', (_carrier, last_arg, bridge_channel) => {
  const flow: Flow = { dialled: '1003', called: [ABROAD, bridge_channel] }
  expect(callsOf({ ...FROM_1001, last_arg, bridge_channel }, flow)).toMatchObject([
    { dst: ABROAD, ...WHOLE, reached: '1003', party: { sipUser: '1001' } },
  ])
})

test.each([
  ['user/12025550171@sip.example.net', 'sofia/internal/12025550171@198.51.100.7:5060'],
  ['{leg_timeout=20}user/12025550171', 'sofia/internal/12025550171@198.51.100.7:5060'],
  ['<ignore_early_media=true>[leg_timeout=20]user/12025550171', 'sofia/internal/12025550171@198.51.100.7'],
  ['group/sales@sip.example.net', 'sofia/internal/12025550171@198.51.100.7:5060'],
  ['loopback/12025550171/default', 'loopback/12025550171-a'],
  ['pickup/12025550171', 'sofia/internal/12025550171@198.51.100.7:5060'],
  ['verto.rtc/12025550171@sip.example.net', 'verto.rtc/12025550171'],
  ['sofia/internal/12025550171%sip.example.net', 'sofia/internal/12025550171@198.51.100.7:5060'],
  ['sofia/internal/sip:12025550171@198.51.100.7', 'sofia/internal/sip:12025550171@198.51.100.7:5060'],
  ['sofia/internal/sips:12025550171@198.51.100.7', 'sofia/internal/sips:12025550171@198.51.100.7:5061'],
  ['', 'sofia/internal/sip:12025550171@198.51.100.7:5060'],
])('a phone whose name is a phone number is not a carrier (%s)', (last_arg, bridge_channel) => {
  const flow: Flow = { dialled: '3003', called: ['12025550171', bridge_channel] }
  expect(callsOf({ ...FROM_1001, last_arg, bridge_channel }, flow)).toMatchObject([{ dst: '3003', ...WHOLE }])
})

test('a carrier that is named like an application of the switch is a carrier', () => {
  const flow: Flow = { dialled: '1003', called: [ABROAD, `${CARRIER}@user.example.com`] }
  expect(callsOf({ ...FROM_1001, last_arg: `${CARRIER}@user.example.com` }, flow)).toMatchObject([
    { dst: ABROAD, carriers: [] },
  ])
})

test.each([
  ['the number alone', ABROAD],
  ['the number behind its gateway', `gateway/potomac/${ABROAD}`],
  ['a SIP address', `sip:${ABROAD}@192.0.2.200`],
  ['a secure SIP address', `sips:${ABROAD}@192.0.2.200`],
  ['a number with parameters', `${ABROAD};phone-context=x`],
  ['nothing, but the channel has the number', ''],
])('without a dial string, the profile of the called leg tells the number: %s', (_what, number) => {
  const flow: Flow = { dialled: '1003', called: [number, CARRIER] }
  expect(callsOf({ ...FROM_1001, bridge_channel: CARRIER }, flow)).toMatchObject([{ dst: ABROAD }])
  expect(callsOf(FROM_1001, flow)).toMatchObject([{ dst: ABROAD }])
})

test('a forward that reached nobody is a call to the extension', () => {
  const unanswered = { last_arg: BY_GATEWAY.last_arg, answer_epoch: '0', billsec: '0' }
  expect(callsOf({ ...FROM_1001, ...unanswered }, { dialled: '1003' })).toMatchObject([
    { dst: '1003', billsec: 0, carriers: ['potomac'] },
  ])
})

test('the number of the one gateway counts, however the called leg writes it', () => {
  const flow: Flow = { dialled: '1003', called: ['4420', 'sofia/external/4420'] }
  expect(callsOf({ ...FROM_1001, last_arg: `sofia/gateway/potomac/${ABROAD}` }, flow)).toMatchObject([
    { dst: ABROAD },
  ])
})

test.each(['ORIGINATOR_CANCEL', 'NO_ANSWER', 'NO_USER_RESPONSE', 'USER_BUSY', 'CALL_REJECTED'])(
  'an IVR whose call to a carrier ended with %s bills the number abroad only if it was answered',
  (bridge_hangup_cause) => {
    const last_arg = `sofia/gateway/potomac/${ABROAD}`
    const variables = { ...FROM_1001, last_arg, bridge_channel: CARRIER, bridge_hangup_cause }
    const answered = { ...variables, last_bridge_proto_specific_hangup_cause: 'sip:200' }
    const flow: Flow = { dialled: '5000', called: [ABROAD, CARRIER] }

    expect(callsOf(variables, flow)).toMatchObject([{ dst: '5000' }])
    expect(callsOf(answered, flow)).toMatchObject([{ dst: ABROAD }])
  },
)

test.each(['*98', '1002'])(
  'an IVR whose call to a carrier was not answered, and which goes on to %s, bills no number abroad',
  (next) => {
    const [last_arg, bridge_hangup_cause] = ['default sip.example.net 1001', 'NO_ANSWER']
    const ringing: Flow = { dialled: ABROAD, called: [ABROAD, CARRIER], from: 20, bridged: 25 }
    const flows: readonly Flow[] = [{ dialled: '5000' }, ringing, { dialled: next, from: 60 }]
    expect(callsOf({ ...FROM_1001, last_arg, bridge_hangup_cause }, ...flows)).toMatchObject([
      { dst: '5000', ...WHOLE },
    ])
  },
)

test('the end of a later bridge tells nothing about the call to a carrier before it', () => {
  const [bridge_channel, bridge_hangup_cause] = [PHONE, 'NO_ANSWER']
  const toPhone: Flow = { dialled: '1003', called: ['1003', PHONE], from: 60 }
  expect(callsOf({ ...FROM_1001, bridge_channel, bridge_hangup_cause }, TO_MOBILE, toPhone)).toMatchObject([
    { dst: MOBILE, from: 0, duration: 60, billsec: 50 },
  ])
})

/** The `transfer_history` of a leg that was bridged to another one. */
const BRIDGED = '1773136840:x:uuid_br:b'

const TO_MOBILE: Flow = {
  dialled: MOBILE,
  called: [MOBILE, `sofia/external/${MOBILE}@192.0.2.9`],
  bridged: 10,
}
const ON_TO_ABROAD: Flow = { dialled: ABROAD, called: [ABROAD, CARRIER], from: 40, bridged: 50 }
const BY_GATEWAY = { last_arg: `sofia/gateway/potomac/${ABROAD}`, bridge_channel: CARRIER }

test('a call that goes on from one carrier to another bills both numbers, each for its time', () => {
  expect(callsOf({ ...FROM_1001, ...BY_GATEWAY }, TO_MOBILE, ON_TO_ABROAD)).toMatchObject([
    {
      ...{ part: '', dst: MOBILE, from: 0, duration: 40, billsec: 30 },
      ...{ reached: undefined, carriers: ['192.0.2.9'] },
    },
    {
      ...{ part: '2', dst: ABROAD, from: 40, duration: 60, billsec: 50 },
      ...{ reached: MOBILE, carriers: ['potomac'] },
    },
  ])
})

test('a number that is called again in the next callflow is one call', () => {
  const again = { ...TO_MOBILE, from: 40, bridged: 50 }
  const last_arg = `sofia/gateway/potomac/${MOBILE}`
  expect(callsOf({ ...FROM_1001, last_arg }, TO_MOBILE, again)).toMatchObject([
    { dst: MOBILE, ...WHOLE, carriers: ['potomac'] },
  ])
  const further = { ...ON_TO_ABROAD, from: 70, bridged: 75 }
  expect(callsOf({ ...FROM_1001, ...BY_GATEWAY }, TO_MOBILE, again, further)).toMatchObject([
    { dst: MOBILE, from: 0, duration: 70, billsec: 60 },
    { dst: ABROAD, from: 70, duration: 30, billsec: 25 },
  ])
})

test.each([
  ['a survey (transfer_after_bridge)', { dialled: '9999', from: 70 }, {}],
  ['a phone', { dialled: '1003', called: ['1003', PHONE] as const, from: 70 }, {}],
  [
    'the leg of another call',
    { dialled: MOBILE, called: ['1003', PHONE] as const, from: 70 },
    { transfer_history: BRIDGED },
  ],
])('a call to a carrier ends where its leg goes on to %s', (_what, next, variables) => {
  expect(callsOf({ ...FROM_1001, ...variables }, TO_MOBILE, next)).toMatchObject([
    { dst: MOBILE, from: 0, duration: 70, billsec: 60 },
  ])
})

test("a whole leg has the switch's seconds, and a part has those between exact moments", () => {
  const uepoch = (seconds: number) => String((START + seconds) * 1_000_000)
  const exact = { start_uepoch: uepoch(0.9), answer_uepoch: uepoch(10.9), end_uepoch: uepoch(100.1) }
  expect(callsOf({ ...FROM_1001, ...exact }, TO_MOBILE)).toMatchObject([{ duration: 100, billsec: 90 }])
  expect(
    callsOf({ ...FROM_1001, ...exact, ...BY_GATEWAY }, TO_MOBILE, { ...ON_TO_ABROAD, bridged: 50.2 }),
  ).toMatchObject([
    { dst: MOBILE, from: 0, duration: 40, billsec: 30 },
    { dst: ABROAD, from: 40, duration: 61, billsec: 50 },
  ])
})

test('a number that is called again after a phone is another call', () => {
  const again = { ...TO_MOBILE, from: 70, bridged: 75 }
  const toPhone: Flow = { dialled: '1003', called: ['1003', PHONE], from: 40 }
  expect(callsOf(FROM_1001, TO_MOBILE, toPhone, again)).toMatchObject([
    { part: '', dst: MOBILE, duration: 40, billsec: 30 },
    { part: '2', dst: MOBILE, from: 70, duration: 30, billsec: 25 },
  ])
})

test('what a call heard from the switch before its carrier is not billed', () => {
  const announced: Flow = { dialled: ABROAD }
  expect(callsOf({ ...FROM_1001, ...BY_GATEWAY }, announced, ON_TO_ABROAD)).toMatchObject([
    { dst: ABROAD, from: 40, duration: 60, billsec: 50, reached: undefined },
  ])
})

test("a carrier's time begins with the callflow without a bridge, and not before the answer", () => {
  const flows: readonly Flow[] = [
    { dialled: '5000' },
    { dialled: ABROAD, called: [ABROAD, CARRIER], from: 40 },
  ]
  expect(callsOf(FROM_1001, ...flows)).toMatchObject([{ from: 40, duration: 60, billsec: 60 }])
  const late = { answer_epoch: String(START + 80), billsec: '20' }
  expect(callsOf({ ...FROM_1001, ...late }, ...flows)).toMatchObject([{ duration: 60, billsec: 20 }])
})

test('a call that nobody answered bills no second at any carrier', () => {
  const unanswered = { answer_epoch: '0', billsec: '0' }
  expect(callsOf({ ...FROM_1001, ...BY_GATEWAY, ...unanswered }, TO_MOBILE, ON_TO_ABROAD)).toMatchObject([
    { dst: MOBILE, duration: 40, billsec: 0 },
    { dst: ABROAD, duration: 60, billsec: 0 },
  ])
})

/** The dialplan adds a country code, or the prefix that a carrier asks for. */
test.each([
  ['02079460000', ABROAD],
  [ABROAD, `7781${ABROAD}`],
])('digits that the dialplan adds to %s (%s) change neither the number nor who pays', (dialled, called) => {
  const last_arg = `sofia/gateway/potomac/${called}`
  const toCarrier: Flow = { dialled, called: [called, `sofia/external/${called}`] }
  expect(callsOf({ ...FROM_1001, last_arg }, toCarrier)).toMatchObject([{ dst: dialled, reached: undefined }])

  const transferred = { ...toCarrier, from: 40, bridged: 50 }
  expect(callsOf({ ...FROM_1001, last_arg }, { dialled: '1003' }, transferred)).toMatchObject([
    { dst: dialled, reached: '1003' },
  ])
})

test('a DID that goes on to a national number is billed with it', () => {
  const national: Flow = { dialled: '02079460000', called: [ABROAD, CARRIER], from: 40, bridged: 50 }
  expect(callsOf({ ...FROM_OUTSIDE, ...BY_GATEWAY }, { dialled: DID }, national)).toMatchObject([
    { dst: '02079460000', reached: DID },
  ])
})

test('a SIP address at a carrier is not a phone number, and has that carrier', () => {
  const bridge_channel = 'sofia/external/support@192.0.2.200:5060'
  const flow: Flow = { dialled: 'support', called: ['support', bridge_channel] }
  expect(callsOf({ ...FROM_1001, bridge_channel }, flow)).toMatchObject([
    { dst: 'support', ...WHOLE, carriers: ['192.0.2.200'] },
  ])
})

test('a number abroad is another one than the DID whose digits it ends with', () => {
  const flow: Flow = { dialled: '2079460000', called: [ABROAD, CARRIER] }
  expect(callsOf({ ...FROM_OUTSIDE, ...BY_GATEWAY }, flow)).toMatchObject([
    { dst: ABROAD, reached: '2079460000' },
  ])
})

test('of several extensions before the carrier, the last one has transferred the call', () => {
  const flows: readonly Flow[] = [{ dialled: '5000' }, { dialled: '1003', from: 20 }, ON_TO_ABROAD]
  expect(callsOf({ ...FROM_1001, ...BY_GATEWAY }, ...flows)).toMatchObject([{ dst: ABROAD, reached: '1003' }])
})

const TRANSFERRED = '1773136870:y:bl_xfer:*98/default/XML'
const ATTENDED = '1773136840:x:att_xfer:1003@198.51.100.10/442079460000@192.0.2.200'

/** The phone at a DID calls a number abroad and connects the two. The call abroad has legs of its own. */
const CONNECTED: readonly Flow[] = [
  { dialled: DID, called: ['1003', PHONE], bridged: 10 },
  { dialled: DID, called: [ABROAD, CARRIER], from: 40, bridged: 40 },
]

test.each([
  ['by the switch', [BRIDGED], []],
  ['by the switch, then transferred', [BRIDGED], [TRANSFERRED]],
  ['by the phone (REFER with Replaces)', [ATTENDED, BRIDGED], []],
  ['by the phone (REFER with Replaces), then transferred', [ATTENDED, BRIDGED], [TRANSFERRED]],
])('a leg that was connected with that of another call %s does not bill it again', (_how, first, then) => {
  const moves = [...first, ...then]
  const transfer_history = `ARRAY::${moves.join('|:')}`
  const flows = [...CONNECTED, ...then.map(() => ({ dialled: '*98', from: 70 }))]
  expect(callsOf({ ...FROM_OUTSIDE, transfer_history }, ...flows)).toMatchObject([{ dst: DID, ...WHOLE }])
})

const NO_NAMES = { accountCode: '', device: '', sipUser: '', did: '', ip: '' }
const TO_1003 = {
  direction: 'outbound',
  channel_name: PHONE,
  dialed_user: '1003',
  accountcode: 'globex',
  bridge_channel: FROM_OUTSIDE.channel_name,
}
const TO_CARRIER = {
  direction: 'outbound',
  channel_name: CARRIER,
  sip_gateway_name: 'potomac',
  accountcode: 'acme',
}

test.each([
  ['to a phone', TO_1003, '1003'],
  ['to a carrier', TO_CARRIER, ABROAD],
])(
  'a leg %s that another leg dialled bills nothing, also if only its profile tells',
  (_to, variables, dialled) => {
    expect(callsOf({ ...variables, originator: 'b' }, { dialled })).toEqual([])
    expect(callsOf(variables, { dialled, originator: 'b' })).toEqual([])
  },
)

test('a phone that was called and then transferred to a carrier is billed to the leg that dialled it', () => {
  const flows: readonly Flow[] = [{ dialled: '1003', originator: 'b' }, ON_TO_ABROAD]
  const calls = callsOf({ ...TO_1003, ...BY_GATEWAY }, ...flows)
  expect(calls).toMatchObject([{ dst: ABROAD, from: 40, billsec: 50 }])
  expect(calls.map(({ party }) => party)).toEqual([{ ...NO_NAMES, originator: 'b' }])
})

test('a carrier that was called and goes on after a transfer is billed to the leg that dialled it', () => {
  const flows: readonly Flow[] = [
    { dialled: ABROAD, originator: 'b' },
    { dialled: '1003', called: ['1003', PHONE], from: 40, bridged: 45 },
  ]
  const calls = callsOf(TO_CARRIER, ...flows)
  expect(calls).toMatchObject([{ dst: ABROAD, from: 40, duration: 60, billsec: 60, carriers: ['potomac'] }])
  expect(calls.map(({ party }) => party)).toEqual([{ ...NO_NAMES, accountCode: 'acme', originator: 'b' }])
})

test("a carrier's leg connected by uuid_bridge is billed whole, to the leg it was connected with", () => {
  const flows: readonly Flow[] = [{ dialled: ABROAD }, { dialled: ABROAD, originator: 'b', from: 40 }]
  expect(callsOf({ ...TO_CARRIER, transfer_history: BRIDGED }, ...flows)).toMatchObject([
    { dst: ABROAD, ...WHOLE, party: { originator: 'b' } },
  ])
})

test('a callback that continues in the dialplan bills one number whole, the other from its answer', () => {
  const toMobile = { ...TO_CARRIER, channel_name: `sofia/external/${MOBILE}` }
  expect(callsOf({ ...toMobile, ...BY_GATEWAY }, { dialled: MOBILE }, ON_TO_ABROAD)).toMatchObject([
    { part: '', dst: MOBILE, ...WHOLE, origin: [], party: { accountCode: 'acme' } },
    { part: '2', dst: ABROAD, from: 40, duration: 60, billsec: 50, party: { accountCode: 'acme' } },
  ])
})

test.each([
  ['a carrier by its address', `sofia/external/${MOBILE}@192.0.2.9`, {}, [MOBILE, ABROAD]],
  ['a phone', 'sofia/internal/1003@198.51.100.10', { dialed_user: '1003' }, [ABROAD]],
  ['a phone named by a number', `sofia/internal/${MOBILE}@198.51.100.10`, { dialed_user: MOBILE }, [ABROAD]],
  ['the contact of a phone', `sofia/internal/sip:${MOBILE}@198.51.100.10:5060`, {}, [ABROAD]],
])('click-to-call that rings %s first bills %s', (_what, channel_name, variables, numbers) => {
  const first = { direction: 'outbound', channel_name, ...variables }
  const flow: Flow = { dialled: '', called: [ABROAD, CARRIER], bridged: 20 }
  expect(callsOf({ ...first, ...BY_GATEWAY }, flow).map(({ dst }) => dst)).toEqual(numbers)
})

test('the phone that click-to-call rings is the caller', () => {
  const flow: Flow = { dialled: '1003', called: [ABROAD, CARRIER], from: -1, bridged: 20 }
  const { bridge_channel: _, ...ringing } = TO_1003
  // FreeSWITCH makes the profile of a leg just before the leg, which may begin in the next second.
  expect(callsOf({ ...ringing, ...BY_GATEWAY }, flow)).toMatchObject([
    { dst: ABROAD, from: 0, duration: 100, billsec: 80, party: { device: '1003', sipUser: '1003' } },
  ])
})

test('an answered leg without seconds is suspended, and not free', () => {
  const untimed = { duration: '', billsec: '', end_epoch: '' }
  expect(
    foundIn(readJson(JSON.stringify(legOf({ ...FROM_1001, ...untimed }, { dialled: ABROAD })))),
  ).toMatchObject([{ kind: 'problem', reason: 'no_duration' }])
})

test('a leg without any callflow is a call without a number', () => {
  expect(callsOf(FROM_1001)).toMatchObject([{ dst: '', src: '', party: { sipUser: '1001' } }])
})
