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

test('rows without header and columns are refused', () => {
  expect(freeswitchCsv('"Carol","1202"')).toMatchObject([
    {
      found: { reason: 'unreadable', detail: 'its columns are unknown: declare the columns of the source' },
    },
  ])
})
