import { expect, test } from 'vitest'
import { cdrsIn, foundIn, parserFor, utc } from '#test/mediation/switch-documents.ts'

const mappedCsv = parserFor({ format: 'csv', source: 'gateway', zone: 'Europe/Vilnius' })

test('the mapping names the column of each field', () => {
  const document = `Call ID,Setup,Answer,Release,Calling,Called,Q850,Customer,Carrier
7/1,2026-03-10 10:00:00,2026-03-10 10:00:07,2026-03-10 10:01:08,12025550130,37060012345,16,carol,thames
7/2,2026-03-10 10:05:00,,2026-03-10 10:05:20,12025550130,37060012345,NO_ANSWER,carol,thames
`
  const mapping = {
    uniqueid: 'Call ID',
    start: 'Setup',
    answer: 'Answer',
    end: 'Release',
    src: 'Calling',
    dst: 'Called',
    hangupcause: 'Q850',
    account_code: 'Customer',
    provider: 'Carrier',
  }

  expect(cdrsIn(mappedCsv(document, { mapping }))).toMatchObject([
    {
      uniqueid: '7/1',
      start: utc('2026-03-10T08:00:00'),
      duration: 68,
      billsec: 61,
      src: '12025550130',
      dst: '37060012345',
      disposition: 'ANSWERED',
      hangupcause: 16,
      party: { accountCode: 'carol' },
      provider: { out: { names: ['thames'] } },
    },
    { uniqueid: '7/2', duration: 20, billsec: 0, disposition: 'NO ANSWER', hangupcause: 19 },
  ])
})

test('columns with the names of the fields need no mapping', () => {
  const document = 'uniqueid,start,dst,billsec,duration,sip_status\n9,1773119520,4420,0,5,486\n'
  expect(cdrsIn(mappedCsv(document))).toMatchObject([
    { uniqueid: '9', start: 1_773_119_520, disposition: 'BUSY', hangupcause: 17 },
  ])
})

test('every field of a row becomes part of the CDR', () => {
  const document = ` start , src,dst,duration,billsec,account_code,device,sip_user,did,ip,channel,provider,provider_ip,provider_channel
1773119520,carol,4420,9.5,5,20,phone,carol,12025550130,198.51.100.10,sip/1,thames,192.0.2.200,sip/2
1773119520,carol,4420,9.5,5,20,,carol,,,,,,
`
  const call = {
    uniqueid: '',
    part: '',
    start: 1_773_119_520,
    src: 'carol',
    dst: '4420',
    duration: 10,
    billsec: 5,
    disposition: 'ANSWERED',
    hangupcause: 16,
  }

  expect(cdrsIn(mappedCsv(document))).toEqual([
    {
      ...call,
      channel: 'sip/1',
      party: {
        accountCode: '20',
        device: 'phone',
        sipUser: 'carol',
        did: '12025550130',
        ip: '198.51.100.10',
      },
      provider: {
        out: { names: ['thames'], addresses: ['192.0.2.200'], channels: ['sip/2'] },
        in: { names: [], addresses: ['198.51.100.10'], channels: ['sip/1'] },
      },
    },
    {
      ...call,
      channel: '',
      party: { accountCode: '20', device: 'carol', sipUser: 'carol', did: '4420', ip: '' },
      provider: {
        out: { names: [], addresses: [], channels: [] },
        in: { names: [], addresses: [], channels: [] },
      },
    },
  ])
})

test.each(['1486', '4866', 'ringing'])('%s is no SIP status and gives no cause', (status) => {
  const document = `start,billsec,duration,sip_status\n1773119520,0,5,${status}\n`
  expect(cdrsIn(mappedCsv(document))).toMatchObject([{ disposition: 'FAILED', hangupcause: 41 }])
})

test('disposition and cause stay if both are given, otherwise one is derived from the other', () => {
  const document = `uniqueid,start,billsec,duration,disposition,hangupcause
1,1773119520,5,9,ANSWERED,31
2,1773119520,0,9,busy,
3,1773119520,0,9,,34
4,1773119520,5,9,SPOKEN,
`
  const cdrs = cdrsIn(mappedCsv(document))
  expect(cdrs.map(({ disposition, hangupcause }) => [disposition, hangupcause])).toEqual([
    ['ANSWERED', 31],
    ['BUSY', 17],
    ['FAILED', 34],
    ['SPOKEN', 0],
  ])
})

test('date and time may be in two columns', () => {
  const text = 'id;Date;Start Time;End Time;dst;a+b\n1;22.11.2026;10:00:48;10:01:48;4420;9\n'
  const mapping = {
    uniqueid: 'id',
    start: 'Date+Start Time',
    answer: 'Date+Start Time',
    end: 'Date+End Time',
    src: 'a+b',
  }
  const source = { mapping, dates: 'day-month' } as const

  expect(cdrsIn(mappedCsv(text, source))).toMatchObject([{ billsec: 60, src: '9' }])
  expect(foundIn(mappedCsv(text.replace('10:01:48', ''), source))).toMatchObject([{ reason: 'no_duration' }])
  expect(foundIn(mappedCsv(text, { ...source, mapping: { ...mapping, start: 'Date' } }))).toMatchObject([
    { reason: 'impossible_time', detail: expect.stringContaining('--map start=DATE+TIME') },
  ])
  expect(foundIn(mappedCsv(text, { ...source, mapping: { ...mapping, end: 'Date+End' } }))).toMatchObject([
    { reason: 'unreadable', detail: expect.stringContaining('correct --map end=') },
  ])
})

test('a file without a header uses the columns of its source', () => {
  const columns = ['start', 'dst', 'billsec', 'duration']
  expect(cdrsIn(mappedCsv('1773119520,4420,5,9\n', { columns }))).toMatchObject([{ dst: '4420' }])
  expect(foundIn(mappedCsv('1773119520,4420,5,9\n'))).toMatchObject([{ reason: 'unreadable' }])
})

const NGCP = ['id', 'start_time', 'duration', 'source_user', 'dest', 'call_status', 'call_code']
const NGCP_MAPPING = {
  uniqueid: 'id',
  start: 'start_time',
  billsec: 'duration',
  account_code: 'source_user',
  dst: 'dest',
  disposition: 'call_status',
  sip_status: 'call_code',
}

test.each(['"', "'"])("NGCP's export in %s is read without its first and last line", (quote) => {
  const document = `0001,0002
"11","2026-11-15 10:00:00.123","60.250","carol","442079460000","ok","200"
"12","2026-11-15 10:10:00.123","0.000","o|carol","442079460000","busy","486"
e7f0c1b2a3d4e5f60718293a4b5c6d7e
`.replaceAll('"', quote)
  const account = quote === "'" ? "o''carol" : "o'carol"

  const found = foundIn(
    mappedCsv(document.replace('o|carol', account), { columns: NGCP, mapping: NGCP_MAPPING }),
  )
  expect(found).toMatchObject([
    { cdr: { uniqueid: '11', billsec: 61, duration: 61, disposition: 'ANSWERED', hangupcause: 16 } },
    { cdr: { uniqueid: '12', billsec: 0, disposition: 'BUSY', party: { accountCode: "o'carol" } } },
  ])
})

test.each([
  ['NORMAL_CLEARING', 60, 'ANSWERED', 16],
  ['NORMAL_CLEARING', 0, 'NO ANSWER', 16],
  ['user_busy', 0, 'BUSY', 17],
])(
  'a cause in place of a disposition, %s with %i seconds, is %s',
  (word, billsec, disposition, hangupcause) => {
    const document = `start,dst,billsec,duration,disposition\n1773119520,4420,${billsec},60,${word}\n`
    expect(cdrsIn(mappedCsv(document))).toMatchObject([{ disposition, hangupcause }])
  },
)

test.each([
  ['Carol Dent<2010>', '2010'],
  ['"Carol" <sip:2010@example.net>;tag=1', '2010'],
  ['sip:2010@example.net', '2010'],
  ['2010@example.net', '2010@example.net'],
])('the device of %s is %s', (device, name) => {
  const cell = `"${device.replaceAll('"', '""')}"`
  const found = mappedCsv(`start,billsec,device\n1773119520,5,${cell}\n`)
  expect(cdrsIn(found)).toMatchObject([{ party: { device: name } }])
})
