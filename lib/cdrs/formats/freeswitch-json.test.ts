import { expect, test } from 'vitest'
import { documentIn } from '#lib/ingest/http/intake-endpoint.ts'
import {
  cdrsIn,
  demoDocument,
  foundIn,
  freeswitchLeg,
  parserFor,
  textsIn,
  utc,
} from '#test/mediation/switch-documents.ts'

const freeswitchJson = parserFor({ format: 'freeswitch-json', source: 'fs1', zone: 'UTC' })
const day = demoDocument('freeswitch.ndjson')
const [legA = '', legB = ''] = day.split('\n')

test('an A-leg is a CDR', () => {
  expect(cdrsIn(freeswitchJson(legA))).toEqual([
    {
      carrierDst: '12025550171',
      uniqueid: 'db4a2a01-8f22-490d-a56c-e7705f14f9fe',
      part: '',
      start: utc('2026-03-10T08:02:11'),
      ...freeswitchLeg,
      party: {
        accountCode: '',
        device: '2010',
        sipUser: '2010',
        did: '12025550171',
        ip: '198.51.100.10',
      },
      provider: {
        out: { names: ['potomac'], addresses: [], channels: ['sofia/external/12025550171'] },
        in: {
          names: [],
          addresses: ['198.51.100.10'],
          channels: ['sofia/internal/2010@sip.example.net'],
        },
      },
    },
  ])
})

test('its B-leg is skipped', () => {
  expect(foundIn(freeswitchJson(legB))).toEqual([{ kind: 'skipped' }])
})

test('each A-leg of a day of calls is one CDR', () => {
  const cdrs = cdrsIn(freeswitchJson(day))

  expect(cdrs.map(({ disposition, hangupcause, billsec }) => [disposition, hangupcause, billsec])).toEqual([
    ['ANSWERED', 16, 184],
    ['NO ANSWER', 19, 0],
    ['ANSWERED', 16, 61],
    ['BUSY', 17, 0],
    ['ANSWERED', 16, 900],
    ['ANSWERED', 16, 42],
    ['FAILED', 1, 0],
    ['ANSWERED', 16, 333],
    ['NO ANSWER', 16, 0],
    ['ANSWERED', 16, 127],
    ['ANSWERED', 16, 75],
  ])
  expect(cdrs[4]?.dst).toBe('+12025550190')
  expect(cdrs[9]?.party.accountCode).toBe('dave_workshop')
})

test('values without encoding (encode-values is false) make the same CDR', () => {
  const object = JSON.parse(legA)
  for (const [name, value] of Object.entries<string>(object.variables)) {
    object.variables[name] = decodeURIComponent(value)
  }
  object.variables.accountcode = '50%25 off'

  const [plain] = cdrsIn(freeswitchJson(JSON.stringify(object)))
  const [encoded] = cdrsIn(freeswitchJson(legA))
  expect(plain).toEqual({ ...encoded, party: { ...encoded?.party, accountCode: '50%25 off' } })
})

test('local times count in the zone of the source if there is no Unix time', () => {
  const object = JSON.parse(legA)
  for (const name of ['start_epoch', 'answer_epoch', 'end_epoch', 'duration', 'billsec']) {
    delete object.variables[name]
  }

  const read = freeswitchJson(JSON.stringify(object), { zone: 'Europe/Vilnius' })
  expect(cdrsIn(read)).toMatchObject([{ start: utc('2026-03-10T06:02:11'), duration: 191, billsec: 184 }])
})

test('the number that was dialled first counts, not the target of a transfer', () => {
  const object = JSON.parse(legA)
  const [first] = object.callflow
  object.callflow.unshift({
    ...first,
    caller_profile: { ...first.caller_profile, destination_number: '2012' },
  })

  expect(cdrsIn(freeswitchJson(JSON.stringify(object)))).toMatchObject([{ dst: '12025550171' }])
})

/** The A-leg with other variables and another profile. */
const changed = (variables: object, profile: object = {}) => {
  const object = JSON.parse(legA)
  Object.assign(object.variables, variables)
  Object.assign(object.callflow[0].caller_profile, profile)
  return cdrsIn(freeswitchJson(JSON.stringify(object)))
}

test('Unix times and stamps stand in for each other', () => {
  const times = { start: utc('2026-03-10T08:02:11'), duration: 191, billsec: 184 }
  const none = { duration: '', billsec: '' }
  const stamps = { start_stamp: '', answer_stamp: '', end_stamp: '' }
  const epochs = { start_epoch: '', answer_epoch: '', end_epoch: '' }

  expect(changed({ ...none, ...stamps })).toMatchObject([times])
  expect(changed({ ...none, ...epochs })).toMatchObject([times])
})

test('the seconds of the switch count, not those between its moments', () => {
  expect(changed({ duration: '190', billsec: '183' })).toMatchObject([{ duration: 190, billsec: 183 }])
})

test.each([
  [{ hangup_cause_q850: '31' }, 31],
  [{ hangup_cause_q850: '', hangup_cause: 'CALL_REJECTED' }, 21],
  [{ hangup_cause_q850: '', hangup_cause: '' }, 16],
])('%j is the cause %i', (variables, hangupcause) => {
  expect(changed(variables)).toMatchObject([{ hangupcause }])
})

test('the variables of the channel count before the profile of the caller', () => {
  const profile = { uuid: 'u', chan_name: 'c', network_addr: '203.0.113.1' }
  expect(changed({}, profile)).toEqual(changed({}))

  const none = { uuid: '', channel_name: '', sip_network_ip: '' }
  expect(changed(none, profile)).toMatchObject([
    {
      uniqueid: 'u',
      channel: 'c',
      party: { ip: '203.0.113.1' },
      provider: { in: { addresses: [], channels: ['c'] } },
    },
  ])
  expect(changed({ ...none, network_addr: '203.0.113.2' }, profile)).toMatchObject([
    { party: { ip: '203.0.113.2' } },
  ])
})

test('the user who authenticated counts before the user of the channel', () => {
  expect(changed({ sip_auth_username: 'auth', user_name: 'user' })).toMatchObject([
    { party: { device: 'auth', sipUser: 'auth' } },
  ])
  expect(changed({ sip_auth_username: '', user_name: 'user' })).toMatchObject([
    { party: { device: 'user', sipUser: 'user' } },
  ])
})

test.each([
  [{ last_arg: 'sofia/gateway/external::thames/4420' }, ['thames']],
  [{ sip_gateway_name: 'clyde' }, ['clyde', 'potomac']],
  [{ sip_gateway_name: 'potomac' }, ['potomac']],
  [{ last_arg: 'user/2012' }, []],
])('%j names the carriers %j', (variables, names) => {
  expect(changed(variables)).toMatchObject([{ provider: { out: { names } } }])
})

test('the gateway of the caller is the carrier that brought the call', () => {
  expect(changed({ sip_gateway: 'clyde' })).toMatchObject([{ provider: { in: { names: ['clyde'] } } }])
})

test.each([
  ['sofia/external/4420@192.0.2.200', ['192.0.2.200']],
  ['sofia/external/4420@192.0.2.200:5060', ['192.0.2.200']],
  ['sofia/external/4420@[2001:db8::1]:5060', ['[2001:db8::1]']],
  ['sofia/external/4420@trunk@192.0.2.200:5060', ['192.0.2.200']],
  ['sofia/external/4420@192.0.2.200:5060/path', []],
  ['sofia/external/4420@192.0.2.200/path', []],
  ['sofia/external/4420@', []],
  ['sofia/external/4420', []],
])('the channel %s leads to the addresses %j', (bridge_channel, addresses) => {
  expect(changed({ bridge_channel })).toMatchObject([
    { provider: { out: { addresses, channels: [bridge_channel] } } },
  ])
})

test.each([
  { variables: {} },
  { callflow: [] },
  { variables: null, callflow: [] },
  { variables: 'uuid', callflow: [] },
  { variables: [], callflow: [] },
])('%j is not a leg', (document) => {
  expect(foundIn(freeswitchJson(JSON.stringify(document)))).toEqual([
    { kind: 'problem', reason: 'unreadable', detail: 'it has no variables and no callflow' },
  ])
})

test.each([
  ['nothing', ''],
  ['not JSON', 'uuid=7'],
  ['not an object', '"call"'],
  ['half a document', legA.slice(0, 500)],
  ['another document', '{"disposition":"ANSWERED"}'],
])('%s is one unreadable part with the whole text', (_case, document) => {
  const parsed = freeswitchJson(document)
  expect(foundIn(parsed)).toMatchObject([{ kind: 'problem', reason: 'unreadable' }])
  expect(textsIn(parsed)).toEqual([document])
})

test('a line that is cut off is refused alone', () => {
  const kinds = foundIn(freeswitchJson(`${legA}\n${legA.slice(0, 99)}\n${legA}\n`))
  expect(kinds.map(({ kind }) => kind)).toEqual(['cdr', 'problem', 'cdr'])
})

test.each([
  ['application/json', legA],
  ['application/json; charset=utf-8', legA],
  ['application/x-www-form-base64-encoded', `cdr=${Buffer.from(legA).toString('base64')}`],
  ['application/x-www-form-urlencoded', `cdr=${encodeURIComponent(legA)}`],
])('a body of %s has the same document', (type, body) => {
  expect(documentIn(body, type)).toBe(legA)
})
