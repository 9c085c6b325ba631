import { expect, test } from 'vitest'
import { callsIn, demoDocument, utc } from '#lib/testing/switch-documents.ts'
import { freeswitchCsv } from './freeswitch-csv.ts'

const origin = { source: 'fs1', zone: 'UTC' }
const document = demoDocument('freeswitch.csv')

test('rows below the text of their template are calls', () => {
  expect(callsIn(freeswitchCsv(document, origin))).toMatchObject([
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

test('the columns of the source stand for a header; so do plain names', () => {
  const [header = '', ...rows] = document.split('\n')
  const names = header.replaceAll(/[${}"]/g, '')

  const expected = callsIn(freeswitchCsv(document, origin))
  expect(callsIn(freeswitchCsv(rows.join('\n'), { ...origin, columns: names.split(',') }))).toEqual(expected)
  expect(callsIn(freeswitchCsv([names, ...rows].join('\n'), origin))).toEqual(expected)
})

test('each record can be read again from its own document', () => {
  const pieces = freeswitchCsv(document, origin)
  expect(pieces.flatMap((piece) => freeswitchCsv(piece.document, origin))).toEqual(pieces)
})

test('a row with an originator is a leg B', () => {
  const rows = 'uuid,start_epoch,originator\na,1773100000,\nb,1773100000,a\n'
  expect(callsIn(freeswitchCsv(rows, origin))).toMatchObject([{ uniqueid: 'a' }])
})

test('rows of which nothing says what they hold are refused', () => {
  expect(freeswitchCsv('"Carol","1202"', origin)).toMatchObject([
    { found: { reason: 'not of its format', detail: 'nothing says what its columns are' } },
  ])
})
