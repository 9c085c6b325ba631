import { expect, test } from 'vitest'
import { unreadValues } from '#tools/commands/call/method-call.ts'
import { echoed, idParam, signedOnly, textParam, timestamp, wordParam } from './parameters.ts'

const NO_TIMESTAMP = 'no Unix timestamp: the seconds since 1970, such as 1790812800'

test.each([
  ['2026-10-01', 'UTC', 'an ISO date; a timestamp is 1790812800 (2026-10-01 00:00:00 UTC)'],
  [
    ' 2026-10-01 ',
    'Europe/Vilnius',
    'an ISO date; a timestamp is 1790802000 (2026-10-01 00:00:00 Europe/Vilnius)',
  ],
  ['2026-10-01T02:00:00+02:00', 'UTC', 'an ISO date; a timestamp is 1790812800 (2026-10-01 00:00:00 UTC)'],
  ['1790812800000', 'UTC', 'milliseconds; a timestamp is 1790812800 (2026-10-01 00:00:00 UTC)'],
  ['yesterday', 'UTC', NO_TIMESTAMP],
  ['2026-13-01', 'UTC', NO_TIMESTAMP],
  ['1960-10-01', 'UTC', NO_TIMESTAMP],
  ['1790812800.5', 'UTC', NO_TIMESTAMP],
  ['91790812800000', 'UTC', NO_TIMESTAMP],
  ['17908128000009', 'UTC', NO_TIMESTAMP],
])('%s is not a timestamp in %s', (value, zone, why) => {
  expect(unreadValues({ from: timestamp }, { from: value }, zone)).toEqual([{ name: 'from', why }])
})

test('a word that the parameter does not take is named with those that it takes', () => {
  const params = { direction: echoed(wordParam('asc', 'desc')), memo: signedOnly }

  expect(unreadValues(params, { direction: 'up', memo: 'x' }, 'UTC')).toEqual([
    { name: 'direction', why: 'it takes asc, desc' },
    { name: 'memo', why: 'it counts in the signature only' },
  ])
})

test('values that are read, blank ones and unknown parameters have no reason', () => {
  const params = { from: timestamp, direction: wordParam('asc', 'desc'), id: idParam, note: textParam }
  const sent = { from: ' 1790812800 ', direction: 'DESC', id: 'x', note: '2026-10-01', other: '1' }

  expect(unreadValues(params, sent, 'UTC')).toEqual([])
  expect(unreadValues(params, { from: ' ', direction: '' }, 'UTC')).toEqual([])
})
