import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cdrsIn, demoDocument, foundIn, parserFor, textsIn, utc } from '#test/mediation/switch-documents.ts'

const freeswitchCsv = parserFor({ format: 'freeswitch-csv', source: 'fs1', zone: 'UTC' })
const document = demoDocument('freeswitch.csv')

test('rows below the text of their template are CDRs', () => {
  expect(cdrsIn(freeswitchCsv(document))).toMatchObject([
    {
      uniqueid: 'c90a07db-77c9-4ccc-abf6-35b3e241db28',
      start: utc('2026-03-10T07:00:05'),
      duration: 64,
      billsec: 58,
      src: '12025550130',
      dst: '12025550180',
      disposition: 'ANSWERED',
      hangupcause: 16,
      party: { accountCode: 'carol' },
    },
    { disposition: 'NO ANSWER', hangupcause: 19, billsec: 0 },
    { dst: '447700900286', billsec: 611, party: { accountCode: 'dave_workshop' } },
  ])
})

test('the columns of the source, or plain names, replace a header', () => {
  const [header = '', ...rows] = document.split('\n')
  const names = header.replaceAll(/[${}"]/g, '')

  const expected = cdrsIn(freeswitchCsv(document))
  expect(cdrsIn(freeswitchCsv(rows.join('\n'), { columns: names.split(',') }))).toEqual(expected)
  expect(cdrsIn(freeswitchCsv([names, ...rows].join('\n')))).toEqual(expected)
})

test('the template of the documentation has what a call is rated by', () => {
  const [, template = ''] = />(.*)<\/template>/.exec(readFileSync('docs/switches.md', 'utf8')) ?? []
  const values: Readonly<Record<string, string>> = {
    ...{ uuid: 'a', start_epoch: '1773100000', caller_id_number: '1001', destination_number: '442079460000' },
    ...{ effective_caller_id_number: '+4930123456', accountcode: 'carol', sip_gateway_name: 'potomac' },
  }
  const row = template.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? '')

  expect(cdrsIn(freeswitchCsv(`${template}\n${row}\n`))).toMatchObject([
    { src: '1001', dst: '442079460000', carrierSrc: '+4930123456', party: { accountCode: 'carol' } },
  ])
})

test('each CDR can be parsed again from its own text', () => {
  const parsed = freeswitchCsv(document)
  const again = parsed.flatMap(({ text }) => freeswitchCsv(text()))
  expect([foundIn(again), textsIn(again)]).toEqual([foundIn(parsed), textsIn(parsed)])
})

test.each(['originator', 'originating_leg_uuid'])('a row with an %s is a B-leg', (column) => {
  const rows = `uuid, start_epoch ,${column}\na,1773100000,\nb,1773100000,a\n`
  expect(cdrsIn(freeswitchCsv(rows))).toMatchObject([{ uniqueid: 'a' }])
  expect(foundIn(freeswitchCsv(rows))).toMatchObject([{ kind: 'cdr' }, { kind: 'skipped' }])
})

const UNKNOWN_COLUMNS =
  'its columns are unknown: put the text of its template above the lines, or name all 2 of its columns with --columns'

test.each([undefined, ['legs=a']])('rows without header and columns are refused (%j)', (columns) => {
  expect(freeswitchCsv('"Carol","1202"', { columns })).toMatchObject([
    { found: { reason: 'unreadable', detail: UNKNOWN_COLUMNS } },
  ])
})

const OWN_TEMPLATE = '"uuid","start_epoch", "accountcode"'
const ROW = '"a","1773100000", "carol"'

test('rows of a template that does not tell the leg are suspended with the remedy', () => {
  expect(freeswitchCsv(`${OWN_TEMPLATE}\n${ROW}\n`)).toMatchObject([
    {
      found: {
        reason: 'unreadable',
        detail:
          'its columns do not tell A-legs from B-legs: add originator to the template; if cdr_csv.conf.xml has legs=a, add --columns legs=a',
      },
    },
  ])
})

test('with legs=a beside its columns each row is an A-leg, also once it is suspended', () => {
  const expected = [{ uniqueid: 'a', party: { accountCode: 'carol' } }]
  const [suspended] = freeswitchCsv(`${OWN_TEMPLATE}\n${ROW}\n`)
  const columns = ['uuid', 'start_epoch', 'accountcode', 'legs=a']

  expect(cdrsIn(freeswitchCsv(`${OWN_TEMPLATE},"legs=a"\n${ROW}\n`))).toMatchObject(expected)
  expect(cdrsIn(freeswitchCsv(suspended?.text() ?? '', { columns: ['legs=a'] }))).toMatchObject(expected)
  expect(cdrsIn(freeswitchCsv(ROW, { columns }))).toMatchObject(expected)
})

test('a transferred leg is billed for its newest profile, and knows the number it had reached', () => {
  const header =
    'uuid,originator,start_epoch,profile_start_epoch,end_epoch,answer_epoch,direction,caller_id_number,destination_number'
  const row = 'b,a,1773100000,1773100060,1773100100,1773100010,outbound,1001,1002'
  const moved = (by: string) =>
    cdrsIn(
      freeswitchCsv(`${header},rdnis,sip_gateway_name,transfer_source\n${row},12025550171,potomac,${by}\n`),
    )

  expect(moved('')).toEqual([])
  expect(moved('1773100060:x:bl_xfer:1002/default/XML')).toMatchObject([
    { src: '1001', dst: '12025550171', start: 1_773_100_060, billsec: 40, party: { originator: 'a' } },
  ])
  expect(moved('1773100060:x:uuid_br:c')).toMatchObject([{ dst: '1002', billsec: 40 }])
})

test('an A-leg that was bridged to another leg did not call the carrier of that leg', () => {
  const rows = `uuid,originator,start_epoch,destination_number,bridge_channel,last_arg,transfer_source
a,,1773100000,1003,sofia/external/442079460000,sofia/gateway/potomac/442079460000,1773100060:x:uuid_br:c
b,,1773100000,1003,sofia/external/442079460000,sofia/gateway/potomac/442079460000,
`
  expect(cdrsIn(freeswitchCsv(rows))).toMatchObject([{ dst: '1003' }, { dst: '442079460000' }])
})
