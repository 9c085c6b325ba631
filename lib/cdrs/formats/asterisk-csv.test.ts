import { expect, test } from 'vitest'
import { cdrsIn, demoDocument, foundIn, parserFor, textsIn, utc } from '#test/mediation/switch-documents.ts'
import { deviceIn, isSip, masterColumns } from './asterisk.ts'

const asteriskCsv = parserFor({ format: 'asterisk-csv', source: 'pbx', zone: 'UTC' })
const master = demoDocument('Master.csv')

test('a line of Master.csv is a CDR', () => {
  expect(cdrsIn(asteriskCsv(master))[0]).toEqual({
    carrierDst: '12025550162',
    uniqueid: '',
    part: '',
    linkedid: '',
    start: utc('2026-03-10T05:12:00'),
    duration: 76,
    billsec: 71,
    src: '12025550140',
    dst: '12025550162',
    disposition: 'ANSWERED',
    hangupcause: 16,
    channel: 'PJSIP/2020-0000b000',
    party: { accountCode: '', device: '2020', sipUser: '2020', did: '12025550162', ip: '' },
    provider: {
      out: { names: ['potomac'], addresses: [], channels: ['PJSIP/potomac-0000c000'] },
      in: { names: ['2020'], addresses: [], channels: ['PJSIP/2020-0000b000'] },
    },
  })
})

test('each line of a day of Master.csv is a CDR', () => {
  const cdrs = cdrsIn(asteriskCsv(master))

  expect(cdrs.map(({ disposition, hangupcause, party }) => [disposition, hangupcause, party.device])).toEqual(
    [
      ['ANSWERED', 16, '2020'],
      ['NO ANSWER', 19, '2021'],
      ['ANSWERED', 16, '2021'],
      ['BUSY', 17, 'nw-clinic-trunk'],
      ['ANSWERED', 16, 'nw-clinic-trunk'],
      ['ANSWERED', 16, '2023'],
      ['FAILED', 41, '2024'],
      ['ANSWERED', 16, '2025'],
      ['ANSWERED', 16, '500@queue'],
      ['FAILED', 41, '2025'],
      ['ANSWERED', 16, '2023'],
      ['ANSWERED', 16, 'guest'],
    ],
  )
  expect(cdrs[8]?.party.accountCode).toBe('nw_bakery')
  expect(cdrs[7]?.party.sipUser).toBe('')
})

const [line = ''] = master.split('\n')

test.each([
  [{ loguniqueid: true }, '"1773119520.40"', '1773119520.40', ''],
  [{ loguserfield: true }, '"some words"', '', ''],
  [{ loguniqueid: true, loguserfield: true }, '"1.40","some words"', '1.40', ''],
  [{ newcdrcolumns: true }, '"","1.40",7', '', '7'],
  [{ loguniqueid: true, newcdrcolumns: true }, '"1.40","","1.40",7', '1.40', '7'],
  [{ loguserfield: true, newcdrcolumns: true }, '"words","","1.40",7', '', '7'],
])('the profile %j adds columns to a line', (profile, cells, uniqueid, part) => {
  const columns = masterColumns({ ...OFF, ...profile })
  expect(cdrsIn(asteriskCsv(`${line},${cells}\n`, { columns }))).toMatchObject([{ uniqueid, part }])
})

const OFF = { loguniqueid: false, loguserfield: false, newcdrcolumns: false }

test('Master.csv has 16 columns by default, and at most 21', () => {
  const standard =
    'accountcode src dst dcontext clid channel dstchannel lastapp lastdata start answer end duration billsec disposition amaflags'
  expect(masterColumns(OFF).join(' ')).toBe(standard)
  const all = masterColumns({ loguniqueid: true, loguserfield: true, newcdrcolumns: true })
  expect(all.join(' ')).toBe(`${standard} uniqueid userfield peeraccount linkedid sequence`)
})

test('a line with the wrong number of columns is refused alone', () => {
  expect(foundIn(asteriskCsv(`${line}\n${line},"1.40"\n${line}\n`))).toMatchObject([
    { kind: 'cdr' },
    {
      kind: 'problem',
      reason: 'unreadable',
      detail: 'it has 17 columns, expected 16: add --master loguniqueid',
    },
    { kind: 'cdr' },
  ])
})

test.each([
  [16, ': add --master ""'],
  [17, ': add --master loguniqueid'],
  [18, ': add --master loguniqueid,loguserfield'],
  [19, ': add --master newcdrcolumns'],
  [20, ': add --master loguniqueid,newcdrcolumns'],
  [21, ': add --master loguniqueid,loguserfield,newcdrcolumns'],
  [22, ''],
])('the remedy for a line of %i columns is the likeliest profile', (length, remedy) => {
  const cells = Array.from({ length }, (_, index) => String(index))
  expect(foundIn(asteriskCsv(cells.join(','), { columns: ['start'] }))).toMatchObject([
    { detail: `it has ${length} columns, expected 1${remedy}` },
  ])
})

test.each([17, 18, 19])('the remedy for %i columns in the order of cdr_custom is that order', (length) => {
  const names =
    'clid,src,dst,dcontext,channel,dstchannel,lastapp,lastdata,start,answer,end,duration,billsec,disposition,amaflags,accountcode,uniqueid,userfield,sequence'
      .split(',')
      .slice(0, length)
  const cells = names.map((name) => (name === 'start' ? '2026-03-10 10:00:00' : '0'))
  expect(foundIn(asteriskCsv(cells.join(',')))).toMatchObject([
    { detail: `it has ${length} columns, expected 16: add --columns ${names.join(',')}` },
  ])
})

test('a line with more columns than cdr_custom is of Master.csv, whatever its ninth column', () => {
  const cells = Array.from({ length: 20 }, (_, index) => (index === 8 ? '2026-03-10 10:00:00' : '0'))
  expect(foundIn(asteriskCsv(cells.join(',')))).toMatchObject([
    { detail: expect.stringContaining('add --master loguniqueid,newcdrcolumns') },
  ])
})

test.each(['start', 'calldate', 'disposition'])('a CDR with a cell "%s" is not a header', (word) => {
  expect(cdrsIn(asteriskCsv(`${line.replace('12025550140', word)}\n`))).toHaveLength(1)
})

test('an unclosed quote spoils only its own line', () => {
  const parsed = asteriskCsv(`${line}\n"","1202,5\n${line}\n`)
  expect(foundIn(parsed).map(({ kind }) => kind)).toEqual(['cdr', 'problem', 'cdr'])
  expect(parsed[1]?.text()).toBe('"","1202,5')
})

test('the header of cdr_custom names the columns', () => {
  expect(cdrsIn(asteriskCsv(demoDocument('asterisk-custom.csv')))).toMatchObject([
    { uniqueid: '1773205920.40', part: '1', src: '12025550140', dst: '12025550162', billsec: 71 },
    { part: '2', disposition: 'NO ANSWER' },
    { part: '3', dst: '2020' },
    { part: '4', disposition: 'BUSY' },
  ])
})

test('the mapping of cdr_custom may be the header, and fractions of seconds are rounded up', () => {
  const header = `\${CSV_QUOTE(\${CDR(uniqueid)})},\${CDR(src)},\${CDR(dst)},start(int64),\${CDR(duration,f)},\${CDR(billsec,f)},disposition`
  const row = '"1.2","1001","12025550171",1773119520,"75.812345","60.200000","ANSWERED"'

  expect(cdrsIn(asteriskCsv(`${header.replaceAll(',f)', ')')}\n${row}`))).toMatchObject([
    { uniqueid: '1.2', start: 1_773_119_520, duration: 76, billsec: 61 },
  ])
})

test('the columns of a table of CDRs are understood, with its seconds, causes and addresses', () => {
  const header = 'calldate, Disposition ,answer,end,duration,billsec,hangupcause,peerip,src_ip'
  const rows = `1773119520,ANSWERED,1773119530,1773119590,75,65,31,198.51.100.10,198.51.100.11
1773119520,ANSWERED,1773119530,1773119590,,,,,198.51.100.11
`
  expect(cdrsIn(asteriskCsv(`${header}\n${rows}`))).toMatchObject([
    { duration: 75, billsec: 65, hangupcause: 31, party: { ip: '198.51.100.10' } },
    { duration: 70, billsec: 60, hangupcause: 16, party: { ip: '198.51.100.11' } },
  ])
})

test('a channel named by an address tells the address of the caller and of the carrier', () => {
  const row =
    'start,disposition,channel,dstchannel\n1773119520,BUSY,SIP/198.51.100.10-0001,SIP/192.0.2.200-0002\n'
  expect(cdrsIn(asteriskCsv(row))).toMatchObject([
    {
      party: { ip: '198.51.100.10' },
      provider: { out: { addresses: ['192.0.2.200'] }, in: { addresses: ['198.51.100.10'] } },
    },
  ])
})

test('a call that reached no carrier has no hints at one', () => {
  expect(cdrsIn(asteriskCsv('start,disposition\n1773119520,BUSY\n'))).toMatchObject([
    {
      provider: {
        out: { names: [], addresses: [], channels: [] },
        in: { names: [], addresses: [], channels: [] },
      },
    },
  ])
})

test.each([
  ['PJSIP/2010-0000a4c2', '2010'],
  ['IAX2/hotel.branch-1187', 'hotel.branch'],
  ['Local/500@queue-1;2', '500@queue'],
  ['X/a/b-c-1', 'a/b-c'],
  ['2010-1', ''],
  ['/2010/20-1', ''],
  ['PJSIP/2010', ''],
  ['a-b/2010', ''],
])('the device of the channel %s is "%s"', (channel, device) => {
  expect(deviceIn(channel)).toBe(device)
})

test.each([
  ['SIP/2010-1', true],
  ['pjsip/2010-1', true],
  ['IAX2/2010-1', false],
  ['Local/SIP/2010-1', false],
])('the channel %s is SIP: %s', (channel, expected) => {
  expect(isSip(channel)).toBe(expected)
})

test.each([
  ['Europe/Vilnius', '2026-03-10T03:12:00'],
  ['America/New_York', '2026-03-10T09:12:00'],
  ['UTC', '2026-03-10T05:12:00'],
])('local times count in the zone of the source: %s', (zone, start) => {
  expect(cdrsIn(asteriskCsv(`${line}\n`, { zone }))).toMatchObject([{ start: utc(start) }])
})

test('each CDR can be parsed again from its own text', () => {
  const parsed = asteriskCsv(master)
  const again = parsed.flatMap(({ text }) => asteriskCsv(text()))
  expect([foundIn(again), textsIn(again)]).toEqual([foundIn(parsed), textsIn(parsed)])
})

test.each(['CHAN_START', 'ANSWER', 'HANGUP', 'LINKEDID_END', 'eventtype'])(
  'channel events (%s) are named',
  (name) => {
    const row = [name, '2026-11-20 10:00:00', ...Array(17).fill('')].map((cell) => `"${cell}"`).join(',')
    const parse = parserFor({ format: 'asterisk-csv', source: 'cel', zone: 'UTC' })

    expect(foundIn(parse(row))).toMatchObject([
      { reason: 'unreadable', detail: expect.stringContaining('channel events (CEL), not CDRs') },
    ])
  },
)
