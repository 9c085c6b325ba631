import { expect, test } from 'vitest'
import { readableLine } from './readable-log.ts'

const NOW = new Date(2026, 10, 18, 15, 30, 5)

const COST = { milliseconds: 9, request: 'r', invocation: 'i', round_trips: 2, read_units: 4, write_units: 0 }

test.each([
  [
    { method: 'devices_get', caller: 0, outcome: 'answered', ...COST },
    '15:30:05  devices_get           account 0    answered  9 ms',
  ],
  [
    { method: 'devices_get', caller: undefined, outcome: 'refused', refusal: 'Incorrect hash', ...COST },
    '15:30:05  devices_get                        refused: Incorrect hash  9 ms',
  ],
  [
    {
      method: 'devices_get',
      caller: 10,
      key: 'crm',
      outcome: 'refused',
      refusal: 'Incorrect hash',
      ...COST,
    },
    '15:30:05  devices_get           account 10   refused, key crm: Incorrect hash  9 ms',
  ],
  [
    { function: 'intake', outcome: 'taken', intake: 'pbx1', stored: 2, ...COST },
    '15:30:05  intake                             taken, intake pbx1, stored 2  9 ms',
  ],
  [{ warning: 'The key is short' }, '15:30:05  warning The key is short'],
  [{ error: 'The credentials have expired' }, '15:30:05  The credentials have expired'],
])('%j is a line for a person', (line, text) => {
  expect(readableLine(line, NOW)).toBe(text)
})

test('a bug is named with its stack', () => {
  const error = {
    name: 'TypeError',
    message: 'x is not a function',
    stack: 'TypeError: x\n    at run (a.ts:1)',
  }

  expect(readableLine({ method: 'devices_get', outcome: 'failed', error, ...COST }, NOW)).toBe(
    '15:30:05  devices_get                        failed: TypeError: x is not a function  9 ms\n    at run (a.ts:1)',
  )
})
