import { expect, test } from 'vitest'
import { documentIn } from '#lib/intake/body.ts'
import { callsIn, demoDocument, foundIn, utc } from '#lib/testing/switch-documents.ts'
import { freeswitchXml } from './freeswitch-xml.ts'

const origin = { source: 'fs1', zone: 'UTC' }
const legA = demoDocument('freeswitch-xml/a_d208ea41-f04b-47b4-ac0c-77dcb4b4b02d.cdr.xml')
const legB = demoDocument('freeswitch-xml/ad6b0e9d-c63c-4b26-abdc-1873dcae3554.cdr.xml')
const unanswered = demoDocument('freeswitch-xml/a_05e9620d-3682-4c55-a261-5f10d178dbc2.cdr.xml')

test('a leg A is a call', () => {
  expect([legA, unanswered].flatMap((leg) => callsIn(freeswitchXml(leg, origin)))).toMatchObject([
    {
      uniqueid: 'd208ea41-f04b-47b4-ac0c-77dcb4b4b02d',
      start: utc('2026-03-10T18:02:11'),
      duration: 191,
      billsec: 184,
      src: '12025550130',
      dst: '12025550171',
      disposition: 'ANSWERED',
      hangupcause: 16,
      channel: 'sofia/internal/2010@sip.example.net',
      party: { device: '2010', ip: '198.51.100.10' },
      provider: { out: { names: ['potomac'] } },
    },
    {
      dst: '442079460077',
      billsec: 0,
      disposition: 'NO ANSWER',
      hangupcause: 19,
      party: { device: 'carol.mobile' },
    },
  ])
})

test('its leg B, which the switch dialled for it, is not billed again', () => {
  expect(freeswitchXml(legB, origin)).toEqual([])
})

test('of a variable that comes several times the first one counts', () => {
  const twice = '<variables><accountcode>one</accountcode><accountcode>two</accountcode>'
  const read = freeswitchXml(legA.replace('<variables>', twice), origin)
  expect(callsIn(read)).toMatchObject([{ party: { accountCode: 'one' } }])
})

test('a text that is broken off in its encoding stays as it is', () => {
  const broken = legA.replace('<variables>', '<variables><accountcode>50%</accountcode>')
  expect(callsIn(freeswitchXml(broken, origin))).toMatchObject([{ party: { accountCode: '50%' } }])
})

test.each([
  ['nothing', ''],
  ['not XML', 'cdr'],
  ['cut off', legA.slice(0, 900)],
  ['another document', '<page><calls/></page>'],
  ['an entity of its own', `<!DOCTYPE cdr [<!ENTITY a "aaaa">]><cdr><variables>&a;</variables></cdr>`],
])('%s is not of the format, and is kept whole', (_case, document) => {
  expect(freeswitchXml(document, origin)).toMatchObject([
    { document, found: { kind: 'refused', reason: 'not of its format' } },
  ])
})

test.each([
  ['text/xml', legA],
  ['application/x-www-form-plaintext', `cdr=${legA}`],
  ['application/x-www-form-urlencoded', `cdr=${encodeURIComponent(legA)}`],
  ['application/x-www-form-base64-encoded', `cdr=${Buffer.from(legA).toString('base64')}`],
])('a body of %s holds the same document', (type, body) => {
  expect(foundIn(freeswitchXml(documentIn(body, type), origin))).toEqual(foundIn(freeswitchXml(legA, origin)))
})
