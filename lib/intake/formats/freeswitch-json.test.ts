import { expect, test } from 'vitest'
import { documentIn } from '#lib/intake/body.ts'
import { callsIn, demoDocument, foundIn, utc } from '#lib/testing/switch-documents.ts'
import { freeswitchJson } from './freeswitch-json.ts'

const origin = { source: 'fs1', zone: 'UTC' }
const day = demoDocument('freeswitch.ndjson')
const [legA = '', legB = ''] = day.split('\n')

test('a leg A is a call', () => {
  expect(callsIn(freeswitchJson(legA, origin))).toEqual([
    {
      uniqueid: 'db4a2a01-8f22-490d-a56c-e7705f14f9fe',
      part: '',
      start: utc('2026-03-10T08:02:11'),
      duration: 191,
      billsec: 184,
      src: '12025550130',
      dst: '12025550171',
      disposition: 'ANSWERED',
      hangupcause: 16,
      channel: 'sofia/internal/2010@sip.example.net',
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

test('its leg B, which the switch dialled for it, is not billed again', () => {
  expect(freeswitchJson(legB, origin)).toEqual([])
})

test('a day of calls, an object on each line: each leg A once', () => {
  const calls = callsIn(freeswitchJson(day, origin))

  expect(calls.map(({ disposition, hangupcause, billsec }) => [disposition, hangupcause, billsec])).toEqual([
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
  expect(calls[4]?.dst).toBe('+12025550190')
  expect(calls[9]?.party.accountCode).toBe('dave_workshop')
})

test('values that are not encoded (encode-values is false) say the same', () => {
  const object = JSON.parse(legA)
  for (const [name, value] of Object.entries<string>(object.variables)) {
    object.variables[name] = decodeURIComponent(value)
  }
  object.variables.accountcode = '50%25 off'

  const [plain] = callsIn(freeswitchJson(JSON.stringify(object), origin))
  const [encoded] = callsIn(freeswitchJson(legA, origin))
  expect(plain).toEqual({ ...encoded, party: { ...encoded?.party, accountCode: '50%25 off' } })
})

test('local times count in the zone of the source where there is nothing better', () => {
  const object = JSON.parse(legA)
  for (const name of ['start_epoch', 'answer_epoch', 'end_epoch', 'duration', 'billsec']) {
    delete object.variables[name]
  }

  const read = freeswitchJson(JSON.stringify(object), { ...origin, zone: 'Europe/Vilnius' })
  expect(callsIn(read)).toMatchObject([{ start: utc('2026-03-10T06:02:11'), duration: 191, billsec: 184 }])
})

test('what was dialled at first counts, not where the call was transferred to', () => {
  const object = JSON.parse(legA)
  const [first] = object.callflow
  object.callflow.unshift({
    ...first,
    caller_profile: { ...first.caller_profile, destination_number: '2012' },
  })

  expect(callsIn(freeswitchJson(JSON.stringify(object), origin))).toMatchObject([{ dst: '12025550171' }])
})

test.each([
  ['nothing', ''],
  ['not JSON', 'uuid=7'],
  ['not an object', '"call"'],
  ['half a document', legA.slice(0, 500)],
  ['another document', '{"disposition":"ANSWERED"}'],
])('%s is not of the format, and is kept whole', (_case, document) => {
  expect(freeswitchJson(document, origin)).toMatchObject([
    { document, found: { kind: 'refused', reason: 'not of its format' } },
  ])
})

test('a line that is cut off costs the others nothing', () => {
  const kinds = foundIn(freeswitchJson(`${legA}\n${legA.slice(0, 99)}\n${legA}\n`, origin))
  expect(kinds.map(({ kind }) => kind)).toEqual(['call', 'refused', 'call'])
})

test.each([
  ['application/json', legA],
  ['application/json; charset=utf-8', legA],
  ['application/x-www-form-base64-encoded', `cdr=${Buffer.from(legA).toString('base64')}`],
  ['application/x-www-form-urlencoded', `cdr=${encodeURIComponent(legA)}`],
])('a body of %s holds the same document', (type, body) => {
  expect(documentIn(body, type)).toBe(legA)
})
