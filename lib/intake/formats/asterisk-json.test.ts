import { expect, test } from 'vitest'
import { callsIn, demoDocument, foundIn, utc } from '#lib/testing/switch-documents.ts'
import { asteriskJson } from './asterisk-json.ts'

const origin = { source: 'pbx', zone: 'UTC' }

test('cdr_custom as JSON: an object on each line is a call', () => {
  expect(callsIn(asteriskJson(demoDocument('asterisk.ndjson'), origin))).toMatchObject([
    { uniqueid: '1773216960.44', part: '5', disposition: 'ANSWERED', billsec: 610 },
    { party: { device: '2023' } },
    { disposition: 'FAILED', hangupcause: 41 },
    { party: { device: '2025', sipUser: '' }, channel: 'IAX2/2025-1007' },
  ])
})

test('cdr_beanstalkd and the manager have names of their own', () => {
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
  expect(callsIn(asteriskJson(JSON.stringify(job), origin))).toMatchObject([expected])
  expect(callsIn(asteriskJson(JSON.stringify([event, event]), origin))).toMatchObject([expected, expected])
})

test('ids that are written as numbers keep every digit', () => {
  const line =
    '{"uniqueid":1773119520.10,"accountcode":90071992547409931,"start":1773119520,"disposition":"ANSWERED","billsec":5,"duration":5}'

  const expected = {
    uniqueid: '1773119520.10',
    party: { accountCode: '90071992547409931' },
    start: 1_773_119_520,
  }
  expect(callsIn(asteriskJson(line, origin))).toMatchObject([expected])
  expect(callsIn(asteriskJson(`[${line},${line}]`, origin))).toMatchObject([expected, expected])
})

test.each([
  ['no start', { start: '' }, 'impossible time', 'it has no start'],
  ['a start that is no time', { start: 'today' }, 'impossible time', '"today" is not a time'],
  [
    'a day that no calendar has',
    { start: '2026-02-30 10:00:00' },
    'impossible time',
    '"2026-02-30 10:00:00" is not a time',
  ],
  [
    'seconds that are none',
    { billsec: '-5' },
    'not of its format',
    'billsec "-5" is not a number of seconds',
  ],
  ['an end before its start', { end: '2026-03-10 05:00:00' }, 'impossible time', 'it ends before it begins'],
])('%s has its reason', (_case, change, reason, detail) => {
  const cdr = { uniqueid: '1', start: '2026-03-10 05:12:00', disposition: 'ANSWERED', ...change }
  expect(foundIn(asteriskJson(JSON.stringify(cdr), origin))).toEqual([{ kind: 'refused', reason, detail }])
})

test('a record is the same alone, with a line end, and among others', () => {
  const [one = '', other = ''] = demoDocument('asterisk.ndjson').split('\n')
  const [piece] = asteriskJson(one, origin)

  for (const document of [`${one}\n`, ` ${one}\r\n`, `${one}\r\n${other}\r\n`])
    expect(asteriskJson(document, origin)[0]).toEqual(piece)
})
