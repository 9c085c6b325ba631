import { expect, test } from 'vitest'
import { cdrsIn, foundIn, parserFor, textsIn, utc } from '#test/mediation/switch-documents.ts'
import { cutDocument } from './parse.ts'

const origin = { format: 'csv', source: 'gw', zone: 'UTC' } as const
const read = parserFor(origin)

const rowsOf = (delimiter: string): string =>
  [
    ['start', ' dst ', 'billsec', 'account_code'],
    ['2026-11-22 10:00:00', ' 4420 ', ' 60 ', 'carol "the boss"'],
    ['2026-11-22 11:00:00', '4421', '2:05', 'NULL'],
  ]
    .map((cells) => cells.join(delimiter))
    .join('\r\n')

test.each([';', '\t', '|'])(
  'a CSV with %j is read, each part alone too, and its cells are trimmed',
  (delimiter) => {
    const parsed = read(rowsOf(delimiter))

    expect(cdrsIn(parsed)).toMatchObject([
      { dst: '4420', billsec: 60, party: { accountCode: 'carol "the boss"' } },
      { dst: '4421', billsec: 125, party: { accountCode: '' } },
    ])
    expect(textsIn(parsed).flatMap((text) => cdrsIn(read(text)))).toEqual(cdrsIn(parsed))
  },
)

test.each([';', ':~'])('a first line that names the delimiter holds for all pieces of a document', (sign) => {
  const delimiter = sign.slice(-1)
  const rows = Array.from({ length: 50 }, (_, n) => ['1773119520', `44${n}`, '60'].join(delimiter))
  const text = [`sep=${delimiter}`, ['start', 'dst', 'billsec'].join(delimiter), ...rows, ''].join('\n')
  const pieces = cutDocument({ ...origin, text }, 200)

  expect(pieces.length).toBeGreaterThan(3)
  expect(pieces.flatMap((piece) => cdrsIn(read(piece.text)))).toEqual(cdrsIn(read(text)))
  expect(cdrsIn(read(text))).toHaveLength(50)
})

test('declared columns find the delimiter of a file without a header', () => {
  const text = 'TERM;2026-11-22 10:00:00;4420;"a,b",c;60\n'
  const columns = ['kind', 'start', 'dst', 'account_code', 'billsec']
  expect(cdrsIn(read(text, { columns }))).toMatchObject([{ dst: '4420', billsec: 60 }])
})

test('a row that cannot be read is kept with commas, as its header', () => {
  const [part] = read('start;dst;billsec\n2026-11-22 10:00:00;44"20\n')
  expect(part?.found).toMatchObject({ detail: 'it has 2 columns, expected 3' })
  expect(part?.text()).toBe('"start","dst","billsec"\n"2026-11-22 10:00:00","44""20"')
})

test('a blank mapping leaves a column out', () => {
  const text =
    'start,answer,end,duration,dst,\n2026-11-22 10:00:48,2026-11-22 10:00:58,2026-11-22 10:03:03,two,44,x\n'
  expect(foundIn(read(text))).toMatchObject([{ reason: 'unreadable' }])
  const mapping = { duration: '' }
  expect(cdrsIn(read(text, { mapping }))).toMatchObject([{ duration: 135, billsec: 125, src: '' }])
})

test('a header with other names is told with an example of its own columns', () => {
  const text =
    'CallType;StartTime;StopTime;Bill Duration;ANI;DNIS\nTERM;2026-11-22 10:00:48;x;30;12025550141;442\n'
  expect(foundIn(read(text))).toMatchObject([
    {
      detail:
        'no column is "start", the columns are "CallType,StartTime,StopTime,Bill Duration,ANI,DNIS": name the column of each field, such as --map start=StartTime --map end=StopTime --map \'billsec=Bill Duration\' --map src=ANI --map dst=DNIS',
    },
  ])
  expect(foundIn(read('one,two,three\nx,2026-11-22 10:00:48,y\n'))).toMatchObject([
    { detail: expect.stringContaining('such as --map start=COLUMN') },
  ])
})

test.each([
  [
    'Cisco CUCM',
    'dateTimeOrigination,callingPartyNumber,destCause_value,finalCalledPartyNumber,dateTimeConnect,dateTimeDisconnect,pkid,duration',
    'uniqueid=pkid start=dateTimeOrigination answer=dateTimeConnect end=dateTimeDisconnect billsec=duration src=callingPartyNumber dst=finalCalledPartyNumber hangupcause=destCause_value',
  ],
  [
    'Yeastar',
    'Time,Call From,Call To,Call Duration(s),Talk Duration(s),Status',
    "start=Time 'billsec=Talk Duration(s)' 'src=Call From' 'dst=Call To' disposition=Status",
  ],
  [
    'Avaya IP Office',
    'Call Start,Connected Time,Ring Time,Caller,Called Number,Account,Call ID',
    "'uniqueid=Call ID' 'start=Call Start' 'billsec=Connected Time' src=Caller 'dst=Called Number' account_code=Account",
  ],
  [
    'RADIUS',
    'Acct-Session-Id,h323-setup-time,h323-connect-time,h323-disconnect-time,Acct-Session-Time,Calling-Station-Id,Called-Station-Id,h323-disconnect-cause',
    'uniqueid=Acct-Session-Id start=h323-setup-time answer=h323-connect-time end=h323-disconnect-time billsec=Acct-Session-Time src=Calling-Station-Id dst=Called-Station-Id hangupcause=h323-disconnect-cause',
  ],
  [
    'a call centre with a column of yes and no',
    'started_at,answered,answered_at,ended_at,from,to',
    'start=started_at answer=answered_at end=ended_at src=from dst=to',
  ],
])('the columns of %s are proposed for their fields', (_system, header, fields) => {
  const [found] = foundIn(read(`${header}\n${header.replace(/[^,]+/g, '2026')}\n`))
  const proposed = fields.replace(/('[^']*'|\S+)/g, '--map $1')
  expect(found && 'detail' in found ? found.detail.split('such as ')[1] : '').toBe(proposed)
})

test('a file without a header is told with an example of its own cells', () => {
  expect(foundIn(read('w-1;2026-11-22 10:00:48;12025550141;442079460000;30\n'))).toMatchObject([
    {
      detail: 'its columns are unknown: name its 5 columns, such as --columns column1,start,src,dst,duration',
    },
  ])
  const kamailio = parserFor({ ...origin, format: 'kamailio-csv' })
  expect(foundIn(kamailio('1,INVITE,a,b,c@d,200,OK,2026-11-22 10:00:48,2010\n'))).toMatchObject([
    {
      detail:
        'its columns are unknown: name its 9 columns, such as --columns id,method,from_tag,to_tag,callid,sip_code,sip_reason,time,column9',
    },
  ])
})

const LEGS = `start,dst,billsec,Direction,hangup
1773119520,4420,60,inbound,a
1773119521,4421,60,Outbound,b
1773119522,4422,60,outbound,c
`

test.each([
  [['Direction=outbound'], ['4421', '4422']],
  [['Direction!=outbound'], ['4420']],
  [['Direction = OUTBOUND ', 'hangup!=c'], ['4421']],
  [
    ['hangup=a', 'hangup=c'],
    ['4420', '4422'],
  ],
  [['hangup!=a', 'hangup!=c'], ['4421']],
  [['Direction='], []],
])('where %j the rows of %j are chosen', (where, numbers) => {
  const parsed = read(LEGS, { where })
  expect(cdrsIn(parsed).map(({ dst }) => dst)).toEqual(numbers)
  expect(foundIn(parsed).filter(({ kind }) => kind === 'skipped')).toHaveLength(3 - numbers.length)
})

test('a condition on a column that is missing is refused with the columns', () => {
  expect(foundIn(read(LEGS, { where: ['direction=outbound'] }))[0]).toMatchObject({
    detail: 'no column is "direction", the columns are "start,dst,billsec,Direction,hangup": correct --where',
  })
})

test.each([
  ['200', '0', '', 'ANSWERED', 16],
  ['486', '0', '1773119525', 'BUSY', 17],
  ['487', '0', '', 'NO ANSWER', 16],
  ['408', '60', '', 'ANSWERED', 102],
  ['486', '60', '', 'BUSY', 17],
  ['487', '60', '0', 'NO ANSWER', 16],
  ['486', '60', '1773119525', 'ANSWERED', 17],
])(
  'the final status %s with %s seconds, answered at %j, is %s',
  (status, billsec, answer, disposition, hangupcause) => {
    const text = `start,billsec,answer,sip_status\n1773119520,${billsec},${answer},${status}\n`
    expect(cdrsIn(read(text))).toMatchObject([{ disposition, hangupcause, billsec: Number(billsec) }])
  },
)

test.each([
  ['NO_ANSWER', '', 'NO ANSWER'],
  ['USER_BUSY [17]', '', 'BUSY'],
  ['NORMAL_CLEARING [16]', '', 'ANSWERED'],
  ['', '21', 'FAILED'],
  ['', '102', 'ANSWERED'],
])('60 billed seconds that %j or the cause %j ended are %s', (word, cause, disposition) => {
  const text = `start,billsec,disposition,hangupcause\n1773119520,60,${word},${cause}\n`
  expect(cdrsIn(read(text))).toMatchObject([{ disposition, billsec: 60 }])
})

// Carriers' exports give the seconds of the ringing to calls that these ended: RFC 3326 (Reason), Cisco CUBE
// (`user busy (17)`), invade.atlassian.net (Disconnect Reason beside Disconnect Code), Kamailio ($rs and $rr)
test.each([
  ['486 Busy Here', '', 'BUSY 17'],
  ['SIP/2.0 487 Request Terminated', '', 'NO ANSWER 16'],
  ['Busy Here', '', 'BUSY 17'],
  ['17', '', 'BUSY 17'],
  ['200 OK', '', 'ANSWERED 16'],
  ['Bye', '', 'ANSWERED 16'],
  ['', '486', 'BUSY 17'],
  ['', '404', 'FAILED 1'],
  ['', '200', 'ANSWERED 16'],
  ['', '17 - User busy', 'BUSY 17'],
  ['', 'user busy (17)', 'BUSY 17'],
  ['', 'User busy', 'BUSY 17'],
  ['', 'Q.850;cause=17;text="USER_BUSY"', 'BUSY 17'],
  ['', 'SIP;cause=486', 'BUSY 17'],
  ['', 'Normal call clearing (16)', 'ANSWERED 16'],
  ['', 'BYE', 'ANSWERED 16'],
])('12 seconds that the status %j or the cause %j ended are %s', (status, cause, result) => {
  const text = `start,billsec,sip_status,hangupcause\n1773119520,12,${status},"${cause.replaceAll('"', '""')}"\n`
  const [cdr] = cdrsIn(read(text))
  expect(`${cdr?.disposition} ${cdr?.hangupcause}`).toBe(result)
})

test('a call of the status 200 whose seconds nothing tells is not free', () => {
  expect(foundIn(read('start,sip_status\n1773119520,200\n'))).toMatchObject([{ reason: 'no_duration' }])
})

test('a blank answer in a column of answers is not an answer, whatever the times are called', () => {
  const text =
    'start,Connected,end,duration\n2026-11-22 10:10:48,,2026-11-22 10:11:03,00:00:00\n2026-11-22 10:10:48,,,\n'
  const parsed = read(text, { mapping: { answer: 'Connected' } })
  expect(cdrsIn(parsed)).toMatchObject([
    { disposition: 'NO ANSWER', hangupcause: 19, billsec: 0 },
    { disposition: 'NO ANSWER', billsec: 0 },
  ])
  expect(foundIn(read(text))).toMatchObject([{ reason: 'no_duration' }, { reason: 'no_duration' }])
})

const US = 'start,billsec\n11/22/2026 10:00:48 PM,30\n'

test('times whose year comes last are read in the declared order, and not guessed', () => {
  expect(cdrsIn(read(US, { dates: 'month-day' }))).toMatchObject([{ start: utc('2026-11-22T22:00:48') }])
  expect(foundIn(read(US, { dates: 'day-month' }))).toMatchObject([{ reason: 'impossible_time' }])
  expect(foundIn(read(US))).toMatchObject([
    {
      reason: 'impossible_time',
      detail: '"11/22/2026 10:00:48 PM" is not a time: add --dates day-month or --dates month-day',
    },
  ])
})

test('the table acc of OpenSIPS is not read as that of Kamailio', () => {
  const kamailio = parserFor({ ...origin, format: 'kamailio-csv' })
  const rows = 'method,callid,sip_code,time,ms_duration\nINVITE,c,200,2026-11-22 10:00:48,60004\n'
  expect(foundIn(kamailio(rows))).toMatchObject([
    { detail: expect.stringContaining('read it as opensips-csv') },
  ])
})

test.each([
  [
    'mysql',
    '+---------------------+------+\n| start               | dst  |\n+---------------------+------+\n',
    '|',
    '+---------------------+------+\n',
  ],
  ['psql', ' start               | dst  \n---------------------+------\n', '', '(1 row)\n'],
])('the borders of a table of %s are not rows', (_client, head, edge, foot) => {
  const parsed = read(`${head}${edge} 2026-11-22 10:00:48 | 4420 ${edge}\n${foot}`, {
    mapping: { billsec: '' },
  })
  expect(foundIn(parsed)).toMatchObject([{ reason: 'no_duration' }])
  expect(foundIn(read(`${head}----x`))).toMatchObject([{ kind: 'problem' }])
})
