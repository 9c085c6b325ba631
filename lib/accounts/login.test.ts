import { expect, test } from 'vitest'
import { limitsFor, loginPlace } from './login.ts'

const NOW = 1_773_144_000

const LIMIT = { failures: 3, windowSeconds: 600, waitSeconds: 10 }

test('three failures of a pair and thirty of an address are free, thirty a minute by a portal', () => {
  expect(limitsFor(false)).toEqual({ pair: LIMIT, address: { ...LIMIT, failures: 30 } })
  expect(limitsFor(true)).toEqual({ pair: { failures: 30, windowSeconds: 60, waitSeconds: 60 } })
})

test.each([
  ['the window has passed', { failures: 9, since: NOW - 600, last: NOW }, 'first'],
  ['one second of the window is left', { failures: 9, since: NOW - 599, last: NOW }, 'refused'],
  ['the limit is not reached', { failures: 2, since: NOW, last: NOW }, 'free'],
  ['the limit is reached', { failures: 3, since: NOW, last: NOW }, 'refused'],
  ['the wait has passed', { failures: 3, since: NOW - 99, last: NOW - 10 }, 'after the wait'],
  ['one second of the wait is left', { failures: 3, since: NOW - 99, last: NOW - 9 }, 'refused'],
  [
    'the clock was set back by less than the window',
    { failures: 9, since: NOW + 599, last: NOW + 9 },
    'refused',
  ],
  [
    'the clock was set back by less, but longer than the wait',
    { failures: 9, since: NOW + 599, last: NOW + 599 },
    'after the wait',
  ],
  [
    'the clock was set back by a year',
    { failures: 9, since: NOW + 31_536_000, last: NOW + 31_536_000 },
    'first',
  ],
  ['an attempt in flight fills the limit', { failures: 3, since: NOW, last: NOW, in_flight: 1 }, 'taken'],
])('a login when %s', (_case, counted, place) => {
  expect(loginPlace({ in_flight: 0, ...counted }, LIMIT, NOW)).toBe(place)
})
