import { expect, test } from 'vitest'
import {
  afterEvent,
  type CallEvent,
  CLOCKS_APART_SECONDS,
  formatDuration,
  hasLeft,
  type KnownCall,
  type Said,
} from './active-call.ts'

const NOW = 1_773_144_000
const HOUR = 3600

const event = (kind: CallEvent['kind'], said: Said = {}, at = NOW): CallEvent => ({
  kind,
  id: 7,
  said: { id: 7, ...said },
  at,
})
const started = event('started', { start_time: NOW - 60, src: '100', channel: 'SIP/a' })
const answered = event('answered', { answer_time: NOW - 50, provider_name: 'Second carrier' })
const ended = event('ended')

const after = (...events: readonly CallEvent[]): KnownCall | undefined =>
  events.reduce<KnownCall | undefined>(afterEvent, undefined)

test('a call is what its events say together, whichever comes first', () => {
  const call = { ...started.said, ...answered.said }

  expect(after(started, answered)).toEqual({ said: call, ended: false })
  expect(after(answered, started)).toEqual({ said: call, ended: false })
})

test.each([
  ['in order', [started, answered, ended]],
  ['before its start', [ended, started, answered]],
  ['before its answer', [started, ended, answered]],
  ['twice', [started, ended, started, ended]],
])('an end is final: %s', (_case, events) => {
  expect(after(...events)).toMatchObject({ ended: true })
})

test('what was known already adds nothing', () => {
  const known = after(started, answered)

  for (const again of [started, answered]) expect(known && afterEvent(known, again)).toBe(known)
})

test('what a later event of a call says wins over its start', () => {
  const moved = event('answered', { answer_time: NOW, channel: 'SIP/b' })

  expect(after(started, moved)?.said.channel).toBe('SIP/b')
  expect(after(moved, started)?.said.channel).toBe('SIP/b')
})

test('what a later answer says wins over an earlier one', () => {
  const moved = event('answered', { provider_name: 'Third carrier' })

  expect(after(answered, moved)?.said.provider_name).toBe('Third carrier')
})

test('an answer without a time was answered when it came, the first time', () => {
  const [first, again] = [event('answered', {}, NOW), event('answered', {}, NOW + 30)]

  expect(after(started, first, again)?.said.answer_time).toBe(NOW)
})

test('a clearly later start under the same id is another call', () => {
  const next = event('started', { start_time: NOW + HOUR })

  expect(after(started, ended, next)).toEqual({ said: { id: 7, start_time: NOW + HOUR }, ended: false })
  expect(after(ended, next)).toMatchObject({ ended: false })
  expect(after(next, started)).toEqual(after(next))
})

test('clocks may be five minutes apart: a start within them is the same call', () => {
  const startedAt = (start_time: number) => event('started', { start_time })
  const first = startedAt(NOW)
  const restarted = (seconds: number) => after(first, ended, startedAt(NOW + seconds))?.ended === false

  expect(CLOCKS_APART_SECONDS).toBe(300)
  expect([300, 301].map(restarted)).toEqual([false, true])
  expect(after(first, startedAt(NOW - 300))?.said.start_time).toBe(NOW - 300)
  expect(after(first, startedAt(NOW - 301))?.said.start_time).toBe(NOW)
})

test('only the start of an ended call is kept, at the latest the moment of its end', () => {
  expect(after(ended)).toEqual({ said: { id: 7, start_time: NOW }, ended: true })
  expect(after(started, ended)).toEqual({ said: { id: 7, start_time: NOW - 60 }, ended: true })
  expect(after(started, event('ended', { start_time: NOW - 61 }))?.said.start_time).toBe(NOW - 61)
})

test('a call leaves the list after 24 hours', () => {
  expect(hasLeft(NOW, NOW + 24 * HOUR)).toBe(false)
  expect(hasLeft(NOW, NOW + 24 * HOUR + 1)).toBe(true)
})

test('the earliest of several answers counts', () => {
  const late = event('answered', { answer_time: NOW })

  expect(after(answered, late)?.said.answer_time).toBe(NOW - 50)
  expect(after(late, answered)?.said.answer_time).toBe(NOW - 50)
})

test.each([
  [0, '00:00:00'],
  [0.9, '00:00:00'],
  [3599, '00:59:59'],
  [3600, '01:00:00'],
  [59, '00:00:59'],
  [3661, '01:01:01'],
  [86_400, '24:00:00'],
  [-5, '00:00:00'],
])('%i seconds are %s', (seconds, printed) => {
  expect(formatDuration(seconds)).toBe(printed)
})
