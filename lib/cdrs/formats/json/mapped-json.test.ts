import { expect, test } from 'vitest'
import { searchedCalls, suspenseOf } from '#test/dump.ts'
import { anOperator } from '#test/mediation/csv-switch.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import { cdrsIn, foundIn, parserFor, textsIn, utc } from '#test/mediation/switch-documents.ts'
import { cutDocument } from '../parse.ts'

const read = parserFor({ format: 'json', source: 'gw', zone: 'Europe/Madrid' })

const details = (parsed: ReturnType<typeof read>) =>
  foundIn(parsed).map((found) => (found.kind === 'problem' ? found.detail : found.kind))

/** As doc.didww.com shows the lines of CDR Streaming. */
const didww = (change: object = {}, id = '3d6af8ac') =>
  JSON.stringify({
    type: 'outbound-cdr',
    id,
    attributes: {
      time_start: '2026-11-20T10:00:00Z',
      time_connect: '2026-11-20T10:00:05Z',
      time_end: '2026-11-20T10:01:06Z',
      duration: 61,
      dst_number: '442079460000',
      customer: 'carol',
      ...change,
    },
  })

const DIDWW = {
  uniqueid: 'id',
  start: 'attributes.time_start',
  answer: 'attributes.time_connect',
  end: 'attributes.time_end',
  billsec: 'attributes.duration',
  dst: 'attributes.dst_number',
  account_code: 'attributes.customer',
}

/** Carriers' and clouds' JSON with its mapping, and the call of 61 s in it. */
const OF_CARRIERS: readonly [name: string, document: string, mapping: Record<string, string>][] = [
  ['DIDWW, lines', `${didww()}\n`, DIDWW],
  ['DIDWW, a list', `[${didww()}]`, DIDWW],
  ['DIDWW, JSON:API', `{"data": [${didww()}], "meta": {"total": 1}}`, DIDWW],
  [
    'Microsoft Graph, pstnCallLogRow',
    '{"@odata.context":"x","@odata.count":1,"value":[{"id":"3d6af8ac","callId":"c1","userPrincipalName":"carol","startDateTime":"2026-11-20T10:00:00.1234567Z","endDateTime":"2026-11-20T10:01:01.2Z","duration":61,"calleeNumber":"442079460000"}]}',
    {
      uniqueid: 'id',
      start: 'startDateTime',
      end: 'endDateTime',
      billsec: 'duration',
      dst: 'calleeNumber',
      account_code: 'userPrincipalName',
    },
  ],
  [
    'Twilio, Calls',
    '{"calls":[{"sid":"3d6af8ac","start_time":"Fri, 20 Nov 2026 10:00:00 +0000","end_time":"Fri, 20 Nov 2026 10:01:01 +0000","duration":"61","to":"442079460000","account_sid":"carol","subresource_uris":{"a":"b"}}],"page":0,"next_page_uri":null}',
    {
      uniqueid: 'sid',
      start: 'start_time',
      end: 'end_time',
      billsec: 'duration',
      dst: 'to',
      account_code: 'account_sid',
    },
  ],
  [
    'Telnyx, detail records',
    '{"data":[{"uuid":"3d6af8ac","started_at":"2026-11-20T10:00:00.000Z","finished_at":"2026-11-20T10:01:06Z","call_sec":66,"billed_sec":61,"cld":"442079460000","tags":"carol","cost":"0.004"}],"meta":{"page_number":1}}',
    {
      uniqueid: 'uuid',
      start: 'started_at',
      end: 'finished_at',
      duration: 'call_sec',
      billsec: 'billed_sec',
      dst: 'cld',
      account_code: 'tags',
    },
  ],
  [
    'Yeastar, NewCdr',
    '{\n  "type": 30012,\n  "sn": "3631A2",\n  "msg": {"call_id":"3d6af8ac","time_start":"2026-11-20 11:00:00","call_to":"442079460000","call_duration":66,"talk_duration":61,"call_from":"carol"}\n}',
    {
      uniqueid: 'msg.call_id',
      start: 'msg.time_start',
      duration: 'msg.call_duration',
      billsec: 'msg.talk_duration',
      dst: 'msg.call_to',
      account_code: 'msg.call_from',
    },
  ],
  [
    'milliseconds, in an answer within an answer',
    '{"status":"ok","result":{"total":1,"items":[{"legs":[{"id":"3d6af8ac"}],"startTime":1795168800000,"duration_ms":61000,"callee":{"number":"442079460000"},"user":"carol"}]}}',
    {
      uniqueid: 'legs.0.id',
      start: 'startTime',
      billsec: 'duration_ms',
      dst: 'callee.number',
      account_code: 'user',
    },
  ],
]

test.each(OF_CARRIERS)('%s: a call of 61 s', (_name, document, mapping) => {
  expect(cdrsIn(read(document, { mapping }))).toMatchObject([
    {
      uniqueid: '3d6af8ac',
      start: utc('2026-11-20T10:00:00'),
      billsec: 61,
      dst: '442079460000',
      disposition: 'ANSWERED',
      party: { accountCode: 'carol' },
    },
  ])
})

test('each part can be read again alone, and a long list is cut between its objects', () => {
  const list = `{"value": [${Array.from({ length: 50 }, (_, at) => didww({}, `id${at}`)).join(',\n')}]}`
  const whole = read(list, { mapping: DIDWW })
  const pieces = cutDocument({ format: 'json', source: 'gw', zone: '', mapping: DIDWW, text: list }, 2000)

  expect(cdrsIn(textsIn(whole).flatMap((text) => read(text, { mapping: DIDWW })))).toEqual(cdrsIn(whole))
  expect(pieces.length).toBeGreaterThan(5)
  expect(pieces.flatMap(({ text }) => cdrsIn(read(text, { mapping: DIDWW })))).toEqual(cdrsIn(whole))
  expect(read('{"value": [], "next": null}', { mapping: DIDWW })).toEqual([])
})

test('numbers keep their digits, and null is blank', () => {
  const document =
    '{"id":1741600000.10,"start":1795168800,"billsec":61,"dst":44207946000000000000,"src":null}'

  expect(cdrsIn(read(document, { mapping: { uniqueid: 'id' } }))).toMatchObject([
    { uniqueid: '1741600000.10', dst: '44207946000000000000', src: '' },
  ])
})

test('a path that every CDR has is refused where it is missing, and an unanswered call may lack others', () => {
  const unanswered = didww({ time_connect: null, duration: 0, time_end: '2026-11-20T10:00:20Z' })
  const { duration: _none, time_connect: _nor, ...others } = JSON.parse(unanswered).attributes
  const mapping = { ...DIDWW, disposition: 'attributes.result' }

  expect(cdrsIn(read(unanswered, { mapping: DIDWW }))).toMatchObject([
    { billsec: 0, disposition: 'NO ANSWER' },
  ])
  expect(details(read(didww(), { mapping: { ...DIDWW, uniqueid: 'Id' } }))).toEqual([
    expect.stringMatching(
      /^no path is "Id", the paths are "type,id,attributes.time_start,.*: correct --map uniqueid=$/,
    ),
  ])
  expect(details(read(didww()))).toEqual([
    expect.stringContaining(
      'name the path of each field, such as --map uniqueid=id --map start=attributes.time_start',
    ),
  ])
  expect(details(read(JSON.stringify({ id: 'a', attributes: others }), { mapping }))).toEqual([
    expect.stringContaining('neither billsec nor answer and end'),
  ])
  expect(details(read(didww(), { mapping: DIDWW, where: ['kind=a'] }))).toEqual([
    expect.stringContaining('no path is "kind"'),
  ])
  expect(foundIn(read(didww(), { mapping: DIDWW, where: ['type=inbound-cdr'] }))).toEqual([
    { kind: 'skipped' },
  ])
})

test.each([
  ['[', 'the list is not closed: the document is cut off'],
  ['{"a":'.repeat(100), 'its brackets are nested deeper than 64 levels'],
  ['start,dst,billsec\n2026-11-20 10:00:00,1,1', 'it is not a JSON object'],
])('%j is suspended', (document, detail) => {
  expect(details(read(document))).toContain(detail)
})

test('a switch posts JSON to its intake, which maps it', async () => {
  const world = await anOperator()
  const map = Object.entries({ ...DIDWW, account_code: 'attributes.customer' }).map((pair) => pair.join('='))
  const authorization = await anIntake(world, 'cloud', { map: map.join('\n') })
  const call = didww({ dst_number: '12025550171', customer: 'bob' }).replaceAll('2026-11-20', '2026-03-10')

  await post(world, 'json', { body: `{"value": [${call}]}`, headers: { authorization } })
  await post(world, 'json', { body: `${call}\n{"half": `, headers: { authorization } })

  expect(await searchedCalls(world)).toMatchObject([{ billsec: 61, uniqueid: '3d6af8ac' }])
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'unreadable', format: 'json' }])
})
