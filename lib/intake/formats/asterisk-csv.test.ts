import { expect, test } from 'vitest'
import { callsIn, demoDocument, foundIn, utc } from '#lib/testing/switch-documents.ts'
import { asteriskCsv, masterColumns } from './asterisk-csv.ts'

const origin = { source: 'pbx', zone: 'UTC' }
const master = demoDocument('Master.csv')

test('a line of Master.csv is a call', () => {
  expect(callsIn(asteriskCsv(master, origin))[0]).toEqual({
    uniqueid: '',
    part: '',
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

test('a day of Master.csv: each line a call', () => {
  const calls = callsIn(asteriskCsv(master, origin))

  expect(
    calls.map(({ disposition, hangupcause, party }) => [disposition, hangupcause, party.device]),
  ).toEqual([
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
  ])
  expect(calls[8]?.party.accountCode).toBe('nw_bakery')
  expect(calls[7]?.party.sipUser).toBe('')
})

const [line = ''] = master.split('\n')
const all = masterColumns({ loguniqueid: true, loguserfield: true, newcdrcolumns: true })

test.each([
  [{ loguniqueid: true }, '"1773119520.40"', '1773119520.40', ''],
  [{ loguserfield: true }, '"some words"', '', ''],
  [{ loguniqueid: true, loguserfield: true }, '"1.40","some words"', '1.40', ''],
  [{ newcdrcolumns: true }, '"","1.40",7', '', '7'],
  [{ loguniqueid: true, newcdrcolumns: true }, '"1.40","","1.40",7', '1.40', '7'],
  [{ loguserfield: true, newcdrcolumns: true }, '"words","","1.40",7', '', '7'],
])('the profile %j says which further columns a line has', (profile, cells, uniqueid, part) => {
  const columns = masterColumns({ ...OFF, ...profile })
  expect(callsIn(asteriskCsv(`${line},${cells}\n`, { ...origin, columns }))).toMatchObject([
    { uniqueid, part },
  ])
})

const OFF = { loguniqueid: false, loguserfield: false, newcdrcolumns: false }

test('there are 16 columns as delivered, and 21 at most', () => {
  expect([masterColumns(OFF).length, all.length]).toEqual([16, 21])
})

test('a line of other columns than the profile has is refused, and the others are calls', () => {
  expect(foundIn(asteriskCsv(`${line}\n${line},"1.40"\n${line}\n`, origin))).toMatchObject([
    { kind: 'call' },
    { kind: 'refused', reason: 'not of its format', detail: 'it has 17 columns, not 16' },
    { kind: 'call' },
  ])
})

test('a quote that is not closed costs the other lines nothing', () => {
  const pieces = asteriskCsv(`${line}\n"","1202,5\n${line}\n`, origin)
  expect(foundIn(pieces).map(({ kind }) => kind)).toEqual(['call', 'refused', 'call'])
  expect(pieces[1]?.document).toBe('"","1202,5')
})

test('cdr_custom: a header names the columns', () => {
  expect(callsIn(asteriskCsv(demoDocument('asterisk-custom.csv'), origin))).toMatchObject([
    { uniqueid: '1773205920.40', part: '1', src: '12025550140', dst: '12025550162', billsec: 71 },
    { part: '2', disposition: 'NO ANSWER' },
    { part: '3', dst: '2020' },
    { part: '4', disposition: 'BUSY' },
  ])
})

test('cdr_custom: the mapping itself may be the header; seconds may have a fraction, and each begun one counts', () => {
  const header = `\${CSV_QUOTE(\${CDR(uniqueid)})},\${CDR(src)},\${CDR(dst)},start(int64),\${CDR(duration,f)},\${CDR(billsec,f)},disposition`
  const row = '"1.2","1001","12025550171",1773119520,"75.812345","60.200000","ANSWERED"'

  expect(callsIn(asteriskCsv(`${header.replaceAll(',f)', ')')}\n${row}`, origin))).toMatchObject([
    { uniqueid: '1.2', start: 1_773_119_520, duration: 76, billsec: 61 },
  ])
})

test.each([
  ['Europe/Vilnius', '2026-03-10T03:12:00'],
  ['America/New_York', '2026-03-10T09:12:00'],
  ['UTC', '2026-03-10T05:12:00'],
])('local times count in the zone of the source: %s', (zone, start) => {
  expect(callsIn(asteriskCsv(`${line}\n`, { ...origin, zone }))).toMatchObject([{ start: utc(start) }])
})

test('each record can be read again from its own document', () => {
  const pieces = asteriskCsv(master, origin)
  expect(pieces.flatMap((piece) => asteriskCsv(piece.document, origin))).toEqual(pieces)
})
