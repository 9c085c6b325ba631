import { expect, test } from 'vitest'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { rate } from '#test/examples/tariffs.ts'
import {
  ASTERISK_CALL,
  anOperator,
  CALL,
  csv,
  NOON,
  reasonsOf,
  send,
  zoeAppears,
} from '#test/mediation/csv-switch.ts'
import type { World } from '#test/world.ts'
import type { CdrDocument } from './formats/formats.ts'
import { openMediation } from './mediation.ts'
import { retryEntries } from './pipeline/retry.ts'

// Habits of switches and importers that public threads tell of. The CDRs are our own.

const billed = async (world: World) =>
  callsIn(await world.dump())
    .map(({ dst, billsec, user_price }) => `${dst} ${billsec} ${user_price}`)
    .sort()

const HEADER = 'start,account_code,src,dst,billsec\n'
const BASE = `${HEADER}2026-03-10 10:00:00,bob,34911234500,12025550171,60\n2026-03-10 10:05:00,bob,34911234500,12025550172,61\n`
const THIRD = '2026-03-10 10:10:00,bob,34911234500,12025550173,62\n'
const ONCE = ['12025550171 60 0.03', '12025550172 61 0.0305']
const ALL = [...ONCE, '12025550173 62 0.031']

// CDRs without a unique id that come again

test.each([
  ['asipto/siremis-php 20: the procedure runs over the same transactions again', BASE],
  [
    'rapidpro/casepro 222: numbers with and without +',
    BASE.replaceAll(',12025', ',+12025').replaceAll(',349', ',+349'),
  ],
  [
    'cgrates/cgrates 428: the same call, its time as Unix seconds',
    BASE.replace('2026-03-10 10:00:00', '1773136800'),
  ],
  [
    'killbill 743: the same time in ISO 8601, with milliseconds',
    BASE.replaceAll(/2026-03-10 (\S{8})/g, '2026-03-10T$1.000Z'),
  ],
  [
    '3CX (cdr.log): lengths as clock texts',
    BASE.replace(',60\n', ',00:01:00\n').replace(',61\n', ',00:01:01\n'),
  ],
  ['2600hz/kazoo 1112: numbers as URIs', BASE.replaceAll(/,(1202\d+),/g, ',sip:$1@example.net,')],
  ['Excel: semicolons, and lengths with decimals', BASE.replaceAll(',', ';').replace(';60\n', ';60.0\n')],
])('%s', async (_source, again) => {
  const world = await anOperator()
  await send(world, BASE)

  expect(await send(world, again)).toMatchObject({ stored: 0, duplicate: 2 })
  expect(await send(world, { source: 'gw2', text: again })).toMatchObject({ stored: 0, suspended: 2 })
  expect(new Set(await reasonsOf(world))).toEqual(new Set(['possible_duplicate']))
  expect(await billed(world)).toEqual(ONCE)
})

test('cgrates/cgrates 243: a call that waits in two spellings is billed once when it can be', async () => {
  const world = await anOperator()
  const text = BASE.replaceAll('bob', 'zoe')
  await send(world, text)
  await send(world, text.replaceAll(',12025', ',+12025'))
  await zoeAppears(world)

  await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
  expect(await billed(world)).toEqual(ONCE)
})

// Rows of calls that came in, with the account of the customer: Twilio, Telnyx and Bandwidth (direction),
// Luminate and VoIP Innovations (Call Type), BroadWorks (Terminating), which write both directions into one file;
// Microsoft Graph (pstnCallLogRow, directRoutingLogRow), Twilio's SIP trunks, Avaya IP Office (I and O), Yeastar
// (Communication Type), Grandstream UCM (Userfield), NEC SL and SV (CLASS), MagnusBilling (DID), VoIP.ms
// (Description), sipgate (incoming), Zoom Phone (connect_type, between numbers of one customer), exports in German,
// Spanish, French and Russian

const INBOUND = (heading: string, word: string) =>
  `start,account_code,src,dst,billsec,${heading}\n2026-03-10 10:00:00,bob,34911234500,12025550171,60,${word}\n`

test.each([
  ['direction', 'inbound', {}, []],
  ['Call Direction', 'Incoming', {}, []],
  ['call_type', ' IN ', {}, []],
  ['direction', 'Terminating', {}, []],
  ['CallType', 'Origination', {}, []],
  ['callType', 'user_in', {}, []],
  ['callType', 'ByotIn', {}, []],
  ['Direction', 'trunking-originating', {}, []],
  ['Direction', 'I', {}, []],
  ['In/Out', 'I', {}, []],
  ['Communication Type', 'Inbound', {}, []],
  ['Userfield', 'Inbound call', {}, []],
  ['Richtung', 'ankommender Anruf', {}, []],
  ['Dirección', 'Entrante', {}, []],
  ['Tipo de llamada', 'Recibida', {}, []],
  ["Sens de l'appel", 'Reçu', {}, []],
  ['Направление вызова', 'Входящий', {}, []],
  ['Anrufrichtung', 'eingegangen', {}, []],
  ['CLASS', 'IVIN', {}, []],
  ['Type', 'DID', {}, []],
  ['incoming', 'true', {}, []],
  ['connect_type', 'internal', {}, []],
  ['Call Category', 'Intern', {}, []],
  ['Description', 'Inbound DID', {}, []],
  ['Description', 'Busy Connect intern', {}, ['12025550171 60 0.03']],
  ['Type', 'Intern. Gespräch', {}, ['12025550171 60 0.03']],
  ['incoming', 'false', {}, ['12025550171 60 0.03']],
  ['caller_number_type', 'internal', {}, ['12025550171 60 0.03']],
  ['Type', 'International', {}, ['12025550171 60 0.03']],
  ['Tipo de servicio', 'I', {}, ['12025550171 60 0.03']],
  ['Direction', 'trunking-terminating', {}, ['12025550171 60 0.03']],
  ['Direction', 'O', {}, ['12025550171 60 0.03']],
  ['call_type', 'I', {}, ['12025550171 60 0.03']],
  ['call_type', 'in-network', {}, ['12025550171 60 0.03']],
  ['callType', 'user_out', {}, ['12025550171 60 0.03']],
  ['direction', 'outbound', {}, ['12025550171 60 0.03']],
  ['direction', 'inbound', { where: ['direction=inbound'] }, ['12025550171 60 0.03']],
])('a row whose %s is %j, read %o, bills %j', async (heading, word, more, is) => {
  const world = await anOperator()
  await send(world, { ...more, text: INBOUND(heading, word) })

  expect(await billed(world)).toEqual(is)
  expect(await reasonsOf(world)).toEqual(is.length === 0 ? ['unreadable'] : [])
})

// Seconds of the ringing, in a file whose result is not mapped: RingCentral (Action Result), Zoom Phone, sipgate,
// Aircall and Webex Calling (answered), 8x8 (-), MagnusBilling (Status), exports in German and French
test.each([
  ['Action Result', 'No Answer', {}, []],
  ['call_result', 'no_answer', {}, []],
  ['Result', 'Call Cancel', {}, []],
  ['status', 'NOPICKUP', {}, []],
  ['direction', 'MISSED_OUTGOING', {}, []],
  ['answered', 'No', {}, []],
  ['Answer indicator', 'No', {}, []],
  ['Answered', 'false', {}, []],
  ['Answered', '-', {}, []],
  ['Status', 'Busy', {}, []],
  ['Status', '486 Busy Here', {}, []],
  ['Status', 'Fail', {}, []],
  ['hangup_cause', 'ORIGINATOR_CANCEL', {}, []],
  ['Ergebnis', 'besetzt', {}, []],
  ['Ergebnis', 'nicht angenommen', {}, []],
  ["Type d'appel", 'Appel manqué', {}, []],
  ['Status', 'Busy', { where: ['Status=busy'] }, ['12025550171 60 0.03']],
  ['Action Result', 'Call connected', {}, ['12025550171 60 0.03']],
  ['missed', 'false', {}, ['12025550171 60 0.03']],
  ['answered', 'Yes', {}, ['12025550171 60 0.03']],
  ['answered', '', {}, ['12025550171 60 0.03']],
  ['Status', '4', {}, ['12025550171 60 0.03']],
  ['Type', 'Other', {}, ['12025550171 60 0.03']],
  ['Typ', 'Nicht-EU', {}, ['12025550171 60 0.03']],
  ['hangup_cause', 'NORMAL_TEMPORARY_FAILURE', {}, ['12025550171 60 0.03']],
  ['Payment Status', 'Failed', {}, ['12025550171 60 0.03']],
])('an answer that only %s denies with %j, read %o, bills %j', async (heading, word, more, is) => {
  const world = await anOperator()
  await send(world, { ...more, text: INBOUND(heading, word) })

  expect(await billed(world)).toEqual(is)
  expect(await reasonsOf(world)).toEqual(is.length === 0 ? ['unreadable'] : [])
})

test('a result that is mapped, and the time of an answer, come before other columns', async () => {
  const world = await anOperator()
  const text = INBOUND('status', 'busy')
    .replace('start,', 'start,answer,')
    .replace('0,bob', '0,2026-03-10 10:00:05,bob')
  await send(world, { text })
  await send(world, {
    mapping: { disposition: 'result' },
    text: INBOUND('result,status', 'completed,busy').replace('10:00', '11:00'),
  })

  expect(await billed(world)).toEqual(['12025550171 60 0.03', '12025550171 60 0.03'])
})

test('an inbound call to a DID, or to an extension, costs nothing, as before', async () => {
  const world = await anOperator()
  await world.given({ dids: [{ id: '2', did: '12025550171', owner_id: '0', user_id: '10' }] })
  await send(world, INBOUND('direction', 'inbound').replace(',bob,', ',,'))
  await send(world, { source: 'gw2', text: INBOUND('direction', 'in').replace(',12025550171,', ',2010,') })

  expect(await billed(world)).toEqual(['12025550171 60 0', '2010 60 0'])
})

// Seconds of a call that goes on, or of its second leg: Sonus (INTERMEDIATE), RADIUS (Interim-Update, 3) and Oracle's
// SBC (Accounting Status), BroadWorks (a record of a long call has an id of its own), AudioCodes (LegId), Cisco CUBE
// (h323-call-origin)
test.each([
  ['record', 'INTERMEDIATE', 'Stop', 'uniqueid', ''],
  ['Acct-Status-Type', 'Interim-Update', 'Stop', 'uniqueid', ''],
  ['Acct-Status-Type', 'Interim-Update', 'Stop', 'uniqueid', 'id1'],
  ['Acct-Status-Type', '3', '2', 'uniqueid', ''],
  ['Accounting Status', 'Interim', 'Stop', 'uniqueid', ''],
  ['type', 'Duration', 'End', 'recordId', 'r'],
  ['LegId', '2', '1', 'uniqueid', 'l'],
  ['leg', 'B', 'A', 'uniqueid', 'l'],
  ['h323-call-origin', 'originate', 'answer', 'uniqueid', ''],
])('%s %s is not billed beside %s, by the %s %j', async (heading, word, last, ids, id) => {
  const world = await anOperator()
  const row = (kind: string, seconds: number) =>
    `${id.length === 1 ? id + seconds : id},2026-03-10 10:00:00,bob,12025550171,${seconds},${kind}\n`
  const text = `${ids},start,account_code,dst,billsec,${heading}\n${row(word, 3600)}${row(last, 7200)}`
  await send(world, { mapping: { uniqueid: ids }, text })

  expect(await billed(world)).toEqual(['12025550171 7200 3.6'])
})

// Files that a switch was still writing

test.each([
  ['bgreenlee/pygtail 20: cut in the last seconds', BASE + THIRD.slice(0, -2)],
  ['cgrates/cgrates 132: cut behind the last comma', BASE + THIRD.slice(0, -3)],
  ['ocaml-multicore/eio-trace 19: cut in a number', BASE + THIRD.slice(0, -10)],
  ['intel/ccc-linux-guest-hardening 52: cut in a time', BASE + THIRD.slice(0, 12)],
  ['vshulcz/deja-vu 891: cut before its line end', (BASE + THIRD).slice(0, -1)],
  ['adamreeve/npTDMS 327: cut in the header', HEADER.slice(0, 20)],
])('%s: the whole file bills each call once', async (_source, half) => {
  const world = await anOperator()
  await send(world, half)
  await send(world, BASE + THIRD)

  expect(await billed(world)).toEqual(ALL)
  expect(await send(world, BASE + THIRD)).toMatchObject({ stored: 0, duplicate: 3 })
})

// A customer whose tariff changes, and CDRs that come late

const asterisk = (change: object) =>
  JSON.stringify({ ...ASTERISK_CALL, uniqueid: '1773136800.11', ...change })

test.each<[string, readonly (string | Partial<CdrDocument>)[], string]>([
  ['cgrates/cgrates 1708: a CDR', [csv([{ uniqueid: 'late' }])], '0.03'],
  [
    'cf-abacus 195: a CDR of the minute before the change',
    [csv([{ uniqueid: 'late', start: '2026-03-10 11:59:59' }])],
    '0.03',
  ],
  ['a CDR of the minute of the change', [csv([{ uniqueid: 'late', start: '2026-03-10 12:00:00' }])], '0.3'],
  ['Asterisk, over another reader', [{ format: 'asterisk-json', source: 'pbx', text: asterisk({}) }], '0.03'],
  [
    'a correction, one after the other',
    ['59', '61', '60'].map((billsec) => csv([{ uniqueid: 'late', billsec }])),
    '0.03',
  ],
])('%s that comes after the change is billed by the tariff of its start', async (_source, late, price) => {
  const world = await anOperator()
  world.now = NOON
  await world.given({
    tariffs: [{ id: '2', name: 'Other', owner_id: '0' }],
    rates: [{ ...rate({ prefix: '1', tariff_rate: '0.3' }), tariff_id: '2' }],
  })
  await world.given({ users: [{ ...people.find(({ id }) => id === '10'), tariff_id: '2' }] })
  world.now = new Date('2026-03-12T12:00:00Z')
  for (const document of late) await send(world, document)

  expect(await billed(world)).toEqual([`${CALL.dst} 60 ${price}`])
})
