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

const freeswitchXml = parserFor({ format: 'freeswitch-xml', source: 'fs1', zone: 'UTC' })
const legA = demoDocument('freeswitch-xml/a_d208ea41-f04b-47b4-ac0c-77dcb4b4b02d.cdr.xml')
const legB = demoDocument('freeswitch-xml/ad6b0e9d-c63c-4b26-abdc-1873dcae3554.cdr.xml')
const unanswered = demoDocument('freeswitch-xml/a_05e9620d-3682-4c55-a261-5f10d178dbc2.cdr.xml')

test('an A-leg is a CDR', () => {
  expect([legA, unanswered].flatMap((leg) => cdrsIn(freeswitchXml(leg)))).toMatchObject([
    {
      uniqueid: 'd208ea41-f04b-47b4-ac0c-77dcb4b4b02d',
      start: utc('2026-03-10T18:02:11'),
      ...freeswitchLeg,
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

test('its B-leg is skipped', () => {
  expect(foundIn(freeswitchXml(legB))).toEqual([{ kind: 'skipped' }])
})

const withVariables = (variables: string) => legA.replace('<variables>', `<variables>${variables}`)

test('a variable that is written twice with two values is no candidate, and one value twice is one', () => {
  const twice = freeswitchXml(withVariables('<billsec>61</billsec>'))
  expect(foundIn(twice)).toEqual([
    {
      kind: 'problem',
      reason: 'unreadable',
      detail: 'it has "billsec" twice, with other values: have the switch write it once',
    },
  ])
  const one = '<accountcode>carol</accountcode>'
  expect(cdrsIn(freeswitchXml(withVariables(one + one)))).toMatchObject([{ party: { accountCode: 'carol' } }])
})

test('a list that no call needs may have many values', () => {
  const list = '<dtmf_digits>1</dtmf_digits><dtmf_digits>2</dtmf_digits>'
  expect(foundIn(freeswitchXml(withVariables(list)))).toEqual(foundIn(freeswitchXml(legA)))
})

test('the text of a document does not depend on the white space around it', () => {
  const parsed = freeswitchXml(`\n${legA}\r\n`)
  expect([foundIn(parsed), textsIn(parsed)]).toEqual([foundIn(freeswitchXml(legA)), [legA.trim()]])
})

test('a text may be in several pieces', () => {
  const account = '<accountcode>ca<!-- r --><![CDATA[rol]]></accountcode>'
  const read = freeswitchXml(legA.replace('<variables>', `<variables>${account}`))
  expect(cdrsIn(read)).toMatchObject([{ party: { accountCode: 'carol' } }])
})

const flow = (number: string, rest = '') =>
  `<callflow><caller_profile><destination_number>${number}</destination_number>${rest}</caller_profile></callflow>`
const leg = (flows: string) =>
  `<cdr><variables><start_epoch>1773119520</start_epoch></variables>${flows}</cdr>`

test('the number that was dialled first counts, not the targets of transfers', () => {
  const read = freeswitchXml(leg(`${flow('2013')}${flow('2012')}${flow('4420')}`))
  expect(cdrsIn(read)).toMatchObject([{ dst: '4420' }])
})

test.each([0, 1, 2])('a leg with an originator in profile %i is a B-leg', (index) => {
  const flows = ['2013', '2012', '4420'].map((number, place) =>
    flow(number, place === index ? '<originator/>' : ''),
  )
  expect(foundIn(freeswitchXml(leg(flows.join(''))))).toEqual([{ kind: 'skipped' }])
})

test('the first profile of a callflow counts, and a callflow without one is blank', () => {
  const other = '<caller_profile><caller_id_number>7</caller_id_number></caller_profile></callflow>'
  const read = [leg(flow('4420').replace('</callflow>', other)), leg('<callflow/>')]
  expect(read.flatMap((text) => cdrsIn(freeswitchXml(text)))).toMatchObject([
    { src: '', dst: '4420' },
    { src: '', dst: '' },
  ])
})

test('only the first variables of the document count', () => {
  const read = freeswitchXml(
    legA
      .replace('<variables>', '<app_log><accountcode>log</accountcode></app_log><variables>')
      .replace('</variables>', '</variables><variables><accountcode>other</accountcode></variables>'),
  )
  expect(foundIn(read)).toEqual(foundIn(freeswitchXml(legA)))
})

test.each(['<cdr><variables/></cdr>', '<cdr><callflow/></cdr>', '<page><variables/><callflow/></page>'])(
  '%s is not a leg',
  (document) => {
    expect(foundIn(freeswitchXml(document))).toEqual([
      { kind: 'problem', reason: 'unreadable', detail: 'it has no variables and no callflow' },
    ])
  },
)

test('a text with a broken escape stays as it is', () => {
  const broken = legA.replace('<variables>', '<variables><accountcode>50%</accountcode>')
  expect(cdrsIn(freeswitchXml(broken))).toMatchObject([{ party: { accountCode: '50%' } }])
})

test.each([
  ['nothing', ''],
  ['not XML', 'cdr'],
  ['cut off', legA.slice(0, 900)],
  ['another document', '<page><calls/></page>'],
  ['an entity of its own', `<!DOCTYPE cdr [<!ENTITY a "aaaa">]><cdr><variables>&a;</variables></cdr>`],
])('%s is one unreadable part with the whole text', (_case, document) => {
  const parsed = freeswitchXml(document)
  expect(foundIn(parsed)).toMatchObject([{ kind: 'problem', reason: 'unreadable' }])
  expect(textsIn(parsed)).toEqual([document])
})

test.each([
  ['text/xml', legA],
  ['application/x-www-form-plaintext', `cdr=${legA}`],
  ['application/x-www-form-urlencoded', `cdr=${encodeURIComponent(legA)}`],
  ['application/x-www-form-base64-encoded', `cdr=${Buffer.from(legA).toString('base64')}`],
])('a body of %s has the same document', (type, body) => {
  expect(foundIn(freeswitchXml(documentIn(body, type)))).toEqual(foundIn(freeswitchXml(legA)))
})

test.each([
  ['text', 'cdr', 'it is not XML: 1:1: it does not begin with an element.'],
  ['a wrong end', '<cdr>\n<a></b></cdr>', 'it is not XML: 2:7: unexpected close tag.'],
  ['a document type', '<!DOCTYPE cdr>\n<cdr/>', 'it is not XML: 1:14: it has a document type.'],
  ['many levels', '<a>'.repeat(65), 'it is not XML: 1:195: it is nested deeper than 64 levels.'],
])('%s is refused with line and column', (_case, document, detail) => {
  expect(foundIn(freeswitchXml(document))).toEqual([{ kind: 'problem', reason: 'unreadable', detail }])
})
