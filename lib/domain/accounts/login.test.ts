import { expect, test } from 'vitest'
import { LOGIN_WINDOW_SECONDS, limitsFor, loginPlace } from './login.ts'

const NOW = 1_773_144_000

test('three failures of a pair and thirty of an address are free, and ten of a pair behind a trusted portal', () => {
  expect(limitsFor(false)).toEqual({ pair: 3, address: 30 })
  expect(limitsFor(true)).toEqual({ pair: 10 })
  expect(LOGIN_WINDOW_SECONDS).toBe(600)
})

test.each([
  ['the window has passed', { failures: 9, since: NOW - 600, last: NOW }, 'first'],
  ['one second of the window is left', { failures: 9, since: NOW - 599, last: NOW }, 'refused'],
  ['the limit is not reached', { failures: 2, since: NOW, last: NOW }, 'free'],
  ['the limit is reached', { failures: 3, since: NOW, last: NOW }, 'refused'],
  ['the wait has passed', { failures: 3, since: NOW - 99, last: NOW - 10 }, 'after the wait'],
  ['one second of the wait is left', { failures: 3, since: NOW - 99, last: NOW - 9 }, 'refused'],
  ['an attempt in flight fills the limit', { failures: 3, since: NOW, last: NOW, in_flight: 1 }, 'taken'],
])('a login when %s', (_case, counted, place) => {
  expect(loginPlace({ in_flight: 0, ...counted }, 3, NOW)).toBe(place)
})
