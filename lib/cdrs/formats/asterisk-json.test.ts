import { expect, test } from 'vitest'
import { cdrsIn, demoDocument, foundIn, parserFor, utc } from '#test/mediation/switch-documents.ts'

const asteriskJson = parserFor({ format: 'asterisk-json', source: 'pbx', zone: 'UTC' })

test('each line of cdr_custom as JSON is a CDR', () => {
  expect(cdrsIn(asteriskJson(demoDocument('asterisk.ndjson')))).toMatchObject([
    { uniqueid: '1773216960.44', part: '5', disposition: 'ANSWERED', billsec: 610 },
    { party: { device: '2023' } },
    { disposition: 'FAILED', hangupcause: 41 },
    { party: { device: '2025', sipUser: '' }, channel: 'IAX2/2025-1007' },
  ])
})

test('the field names of cdr_beanstalkd and of the manager are understood', () => {
  const job = {
    AccountCode: 'nw_bakery',
    Source: '12025550140',
    Destination: '12025550162',
    DestinationContext: 'customers',
    CallerID: '"Crumb" <12025550140>',
    Channel: 'PJSIP/2020-0000b000',
    DestinationChannel: 'PJSIP/potomac-0000c000',
    LastApplication: 'Dial',
    LastData: 'PJSIP/12025550162@potomac,60',
    StartTime: '2026-03-10 05:12:00',
    AnswerTime: '2026-03-10 05:12:05',
    EndTime: '2026-03-10 05:13:16',
    Duration: 76,
    Billsec: 71,
    Disposition: 'ANSWERED',
    AMAFlags: 'DOCUMENTATION',
    UniqueID: '1773119520.40',
    UserField: '',
  }
  const { Billsec, ...event } = { ...job, Event: 'Cdr', BillableSeconds: String(job.Billsec) }
  const { Duration, BillableSeconds, ...withoutSeconds } = event
  const withOtherSeconds = { ...event, Duration: 80, BillableSeconds: 72 }

  const expected = {
    uniqueid: '1773119520.40',
    start: utc('2026-03-10T05:12:00'),
    src: '12025550140',
    dst: '12025550162',
    duration: 76,
    billsec: 71,
    disposition: 'ANSWERED',
    party: { accountCode: 'nw_bakery', device: '2020' },
    provider: { out: { names: ['potomac'] }, in: { names: ['2020'] } },
  }
  expect(cdrsIn(asteriskJson(JSON.stringify(job)))).toMatchObject([expected])
  expect(
    cdrsIn(asteriskJson(JSON.stringify([event, withoutSeconds, withOtherSeconds, { ...job, Billsec: 73 }]))),
  ).toMatchObject([
    expected,
    expected,
    { ...expected, duration: 80, billsec: 72 },
    { ...expected, billsec: 73 },
  ])
})

test('ids that are JSON numbers keep every digit', () => {
  const line =
    '{"uniqueid":1773119520.10,"accountcode":90071992547409931,"src":90071992547409932,"dst":90071992547409933,"start":1773119520,"disposition":"ANSWERED","billsec":5,"duration":5}'
  const ofManager =
    '{"UniqueID":1773119520.10,"AccountCode":90071992547409931,"Source":90071992547409932,"Destination":90071992547409933,"StartTime":1773119520,"Disposition":"ANSWERED","BillableSeconds":5}'

  const expected = {
    uniqueid: '1773119520.10',
    party: { accountCode: '90071992547409931' },
    src: '90071992547409932',
    dst: '90071992547409933',
    start: 1_773_119_520,
  }
  expect(cdrsIn(asteriskJson(line))).toMatchObject([expected])
  expect(cdrsIn(asteriskJson(`[${line},${ofManager}]`))).toMatchObject([expected, expected])
})

const REMEDY = ': write it as 2026-03-10 12:00:00 +02:00, or as Unix time'

test.each([
  ['no start', { start: '' }, 'impossible_time', 'it has no start'],
  ['a start that is not a time', { start: 'today' }, 'impossible_time', `"today" is not a time${REMEDY}`],
  [
    'a day that no calendar has',
    { start: '2026-02-30 10:00:00' },
    'impossible_time',
    `"2026-02-30 10:00:00" is not a time${REMEDY}`,
  ],
  [
    'seconds that are none',
    { billsec: '-5' },
    'unreadable',
    'billsec "-5" is not a number of seconds, nor a length such as 00:02:05 or PT2M5S',
  ],
  ['an end before its start', { end: '2026-03-10 05:00:00' }, 'impossible_time', 'it ends before it begins'],
])('%s is refused with its reason', (_case, change, reason, detail) => {
  const cdr = { uniqueid: '1', start: '2026-03-10 05:12:00', disposition: 'ANSWERED', ...change }
  expect(foundIn(asteriskJson(JSON.stringify(cdr)))).toEqual([{ kind: 'problem', reason, detail }])
})

test.each([{}, { duration: 60 }, { answer: '2026-03-10 05:12:05' }])(
  'an answered CDR with %j alone is suspended: nothing tells its seconds',
  (change) => {
    const cdr = { uniqueid: '1', start: '2026-03-10 05:12:00', disposition: 'ANSWERED', ...change }
    expect(foundIn(asteriskJson(JSON.stringify(cdr)))).toMatchObject([{ reason: 'no_duration' }])
  },
)

test('an object without a disposition is not a CDR', () => {
  expect(foundIn(asteriskJson('{"uniqueid":"1","start":1773119520}'))).toEqual([
    { kind: 'problem', reason: 'unreadable', detail: 'it has no disposition' },
  ])
})

test('the text of a CDR is the same alone, with a line end, and among others', () => {
  const [one = '', other = ''] = demoDocument('asterisk.ndjson').split('\n')
  const [alone] = asteriskJson(one)

  for (const document of [`${one}\n`, ` ${one}\r\n`, `${one}\r\n${other}\r\n`, `[${one},${other}]`]) {
    const [parsed] = asteriskJson(document)
    expect([parsed?.found, parsed?.text()]).toEqual([alone?.found, alone?.text()])
  }
})
