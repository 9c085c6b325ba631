import { expect, test } from 'vitest'
import { cdrsIn, dialogEventsIn, foundIn, parserFor, textsIn, utc } from '#test/mediation/switch-documents.ts'
import { cutDocument } from './parse.ts'

const origin = { source: 'sip1', zone: 'UTC' } as const
const csv = parserFor({ ...origin, format: 'opensips-csv' })
const log = parserFor({ ...origin, format: 'opensips-log' })
const json = parserFor({ ...origin, format: 'opensips-json' })

const TABLE = `id,method,from_tag,to_tag,callid,sip_code,sip_reason,time,duration,ms_duration,setuptime,created,from_uri,SOURCE_IP,to_uri
1,INVITE,a,b,c1,200,OK,2026-11-16 10:00:11,60,60004,11,2026-11-16 10:00:00,sip:2010@example.net,192.0.2.10,sip:442079460000@example.net
2,INVITE,a,b,c2,486,Busy Here,2026-11-16 10:10:05,0,0,5,2026-11-16 10:10:00,sip:2010@example.net,192.0.2.10,sip:442079460000@example.net
3,INVITE,a,b,c3,200,OK,2026-11-16 10:20:11,0,400,11,2026-11-16 10:20:00,sip:2010@example.net,192.0.2.10,sip:442079460000@example.net
4,INVITE,a,b,c4,200,OK,2026-11-16 10:30:11,0,0,11,NULL,sip:2010@example.net,192.0.2.10,sip:442079460000@example.net
`
const mapping = { src: 'from_uri', dst: 'to_uri', ip: 'SOURCE_IP' }

test('the rows of acc are whole calls or dialog events, with extra fields of any name', () => {
  const parsed = csv(TABLE, { mapping })

  expect(cdrsIn(parsed)).toMatchObject([
    {
      uniqueid: 'c1',
      part: 'a b',
      start: utc('2026-11-16T10:00:00'),
      duration: 71,
      billsec: 60,
      disposition: 'ANSWERED',
      hangupcause: 16,
      src: '2010',
      party: { device: '2010', sipUser: '2010', ip: '192.0.2.10' },
    },
    { uniqueid: 'c3', duration: 11, billsec: 0, disposition: 'ANSWERED' },
  ])
  expect(dialogEventsIn(parsed)).toMatchObject([
    { kind: 'failed', sipStatus: 486, at: utc('2026-11-16T10:10:00') },
    { kind: 'answered', callId: 'c4', at: utc('2026-11-16T10:30:11') },
  ])
  expect(textsIn(parsed).flatMap((text) => foundIn(csv(text, { mapping })))).toEqual(foundIn(parsed))
})

test('a table without the called number is told how to have it', () => {
  expect(foundIn(csv(TABLE))[0]).toMatchObject({
    reason: 'unreadable',
    detail: expect.stringMatching(
      /^no column is "dst_user", the columns are "id,.*,to_uri": .* --map dst=COLUMN/,
    ),
  })
  expect(foundIn(csv('INVITE|a|b|c|200|OK|1763287211|11|1763287200|60|60004\n'))[0]).toMatchObject({
    detail: expect.stringContaining('name the extra fields with --columns'),
  })
})

const columns = ['src_user', 'dst_user']

test.each(['|', ',', ';'])('db_flatstore with %j has rows of several widths in one file', (delimiter) => {
  const rows = [
    ['INVITE', 'a', 'b', 'c1', '200', 'OK', 1763287211, '2010', '442', 11, 1763287200, 60, 60004],
    ['INVITE', 'a', 'b', 'c2', '480', 'Gone', 1763287231, '2010', '442', 11, 1763287220],
    ['INVITE', 'a', '', 'c3', '503', 'Service Unavailable', 1763287251],
    [
      'INVITE',
      'a',
      'b',
      'c4',
      '200',
      'OK',
      1763287211,
      '2010\\x7C1',
      '\\x2B442\\xC3\\xA4%41',
      11,
      1763287200,
      1,
      900,
    ],
    ['INVITE', 'a', 'b', 'c5', '200', 'OK', 1763287211, 1763287200],
  ]
  const parsed = csv(`${rows.map((row) => row.join(delimiter)).join('\n')}\n`, { columns })

  expect(cdrsIn(parsed)).toMatchObject([
    { uniqueid: 'c1', start: 1763287200, billsec: 60, dst: '442' },
    { uniqueid: 'c4', billsec: 1, src: '2010|1', dst: '+442ä%41' },
  ])
  expect(dialogEventsIn(parsed)).toMatchObject([
    { callId: 'c2', kind: 'failed', at: 1763287220 },
    { callId: 'c3', kind: 'failed', at: 1763287251, dst: '' },
  ])
  expect(foundIn(parsed).at(-1)).toMatchObject({
    detail: expect.stringMatching(/^it has 8 columns, expected 13: name the 1 extra fields of acc/),
  })
})

test('event_flatstore begins its rows with the event, and has another order', () => {
  const parsed = csv(
    `E_ACC_CDR,INVITE,a,b,c1,200,OK,1763287211,2010,442,0,0,11,1763287200
E_ACC_MISSED_EVENT,INVITE,a,b,c2,486,Busy,1763287211,2010,442,11,1763287200
E_ACC_EVENT,BYE,a,b,c3,200,OK,1763287211,2010,442
`,
    { columns },
  )
  expect(cdrsIn(parsed)).toMatchObject([
    { uniqueid: 'c1', duration: 11, billsec: 0, disposition: 'ANSWERED' },
  ])
  expect(dialogEventsIn(parsed)).toMatchObject([{ kind: 'failed' }, { kind: 'ended' }])
})

const CORE = 'method=INVITE;from_tag=a;to_tag=b;call_id=c1;code=200;reason=OK'
const ENDED =
  'Nov 16 10:01:11 sip1 opensips[7]: ACC: call ended: created=1763287200;call_start_time=1763287211;duration=60;ms_duration=60004;setuptime=11;'
const EXTRA = ';src_user=2010;dst_user=442'

test('the log of the system has lines of acc among others', () => {
  const text = `Nov 16 10:00:00 sip1 opensips[7]: INFO:core:main: started
${ENDED}${CORE}${EXTRA};x;#012

Nov 16 10:00:11 sip1 opensips[7]: ACC: transaction answered: timestamp=1763287211;${CORE.replace('200', '404')}${EXTRA}
Nov 16 10:00:11 sip1 opensips[7]: ACC: something else: ${CORE}
`
  const parsed = log(text)

  expect(foundIn(parsed).map(({ kind }) => kind)).toEqual(['skipped', 'cdr', 'dialog_event', 'skipped'])
  expect(cdrsIn(parsed)).toMatchObject([{ uniqueid: 'c1', start: 1763287200, billsec: 60, dst: '442' }])
  const pieces = cutDocument({ ...origin, format: 'opensips-log', text }, 250)
  expect(pieces.length).toBeGreaterThan(2)
  expect(pieces.flatMap((piece) => foundIn(log(piece.text)))).toEqual(foundIn(parsed))
})

test.each([
  ['a Call-ID with attributes', CORE.replace('c1', 'c1;accountcode=victim')],
  ['a Call-ID with all that follows', CORE.replace('c1', 'c1;code=404;reason=Not Found')],
  ['a reason with a length', `${CORE};duration=0`],
  ['no Call-ID', CORE.replace(';call_id=c1', '')],
  ['a line longer than acc writes', `${CORE};x=${'y'.repeat(80_000)}`],
])('a line with %s is not read', (_case, attributes) => {
  expect(foundIn(log(ENDED + attributes + EXTRA))).toMatchObject([{ reason: 'unreadable' }])
})

test('of a line, only declared extra fields are read if the source declares them', () => {
  const line = `${ENDED}${CORE};accountcode=victim${EXTRA}`
  expect(cdrsIn(log(line, { columns }))).toMatchObject([{ party: { accountCode: '', device: '2010' } }])
})

test.each([
  [{ duration: '', ms_duration: '400' }, { billsec: 1 }],
  [{ duration: 'PT1M' }, { billsec: 60 }],
])('the length %j is %j', (change, cdr) => {
  const params = { ...Object.fromEntries(CORE.split(';').map((pair) => pair.split('='))), ...change }
  const { call_id: callid, code: sip_code, ...others } = params as Record<string, string>
  const event = {
    method: 'E_ACC_CDR',
    params: { ...others, callid, sip_code, time: 1763287211, dst_user: '442' },
  }
  expect(cdrsIn(json(JSON.stringify(event)))).toMatchObject([cdr])
  expect(cdrsIn(json(JSON.stringify(event.params)))).toMatchObject([cdr])
})

test.each([
  [{ duration: 'long' }, 'duration "long" is not a number of seconds'],
  [{ time: '' }, 'it has no time'],
  [{ callid: '' }, 'it has no Call-ID'],
])('a CDR with %j is refused', (change, detail) => {
  const cdr = {
    method: 'INVITE',
    callid: 'c',
    sip_code: '200',
    time: '1763287211',
    duration: '60',
    ...change,
  }
  expect(foundIn(json(JSON.stringify({ method: 'E_ACC_CDR', params: cdr })))).toMatchObject([{ detail }])
})

test('a table of db_text has colons, and types in its header', () => {
  const text = `id(int,auto) method(string) from_tag(string) to_tag(string) callid(string) sip_code(string) sip_reason(string) time(int) duration(int) ms_duration(int) setuptime(int) created(int,null) src_user(string) dst_user(string)
1:INVITE:a:b:c\\:1@x:200:OK:1773119530:60:60000:10:1773119520:2010:442079460000
2:INVITE:a:b:d:486:Busy:1773119530:0:0:10:1773119520:2010:442079460000
`
  const parsed = csv(text)
  expect(cdrsIn(parsed)).toMatchObject([
    { uniqueid: 'c:1@x', start: 1773119520, billsec: 60, dst: '442079460000' },
  ])
  expect(dialogEventsIn(parsed)).toMatchObject([{ callId: 'd', kind: 'failed' }])
  expect(textsIn(parsed).flatMap((part) => foundIn(csv(part)))).toEqual(foundIn(parsed))
})
