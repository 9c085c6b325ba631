import { expect, test } from 'vitest'
import { cdrRefused, foundsBy, isSourceName } from './cdr.ts'
import { FORMAT_NAMES, isCsvFormat, isFormat } from './formats.ts'

test.each([
  ['pbx-1', true],
  ['x'.repeat(40), true],
  ['', false],
  ['x'.repeat(41), false],
  ['pbx 1', false],
  [' pbx', false],
])('%j is the name of a switch: %s', (text, expected) => {
  expect(isSourceName(text)).toBe(expected)
})

test('formats are known by their names, and those of rows by their ends', () => {
  expect([isFormat('live'), isFormat('avaya')]).toEqual([true, false])
  expect(FORMAT_NAMES.filter(isCsvFormat)).toEqual([
    'freeswitch-csv',
    'asterisk-csv',
    'kamailio-csv',
    'opensips-csv',
    'csv',
  ])
})

test('a refused CDR is a problem, and any other error is a bug', () => {
  const fail = (error: Error) => () => {
    throw error
  }
  expect(foundsBy(fail(cdrRefused('no_start', 'why')))).toEqual([
    {
      kind: 'problem',
      reason: 'no_start',
      detail: 'why',
    },
  ])
  expect(() => foundsBy(fail(new TypeError('bug')))).toThrow('bug')
})
