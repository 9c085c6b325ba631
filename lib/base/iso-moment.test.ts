import { expect, test } from 'vitest'
import { isoDay, isoMoment } from './iso-moment.ts'

test.each([
  ['2026-03-10', '2026-03-09T22:00:00Z'],
  ['2026-03-10 12:30', '2026-03-10T10:30:00Z'],
  ['2026-03-10T12:30:15', '2026-03-10T10:30:15Z'],
  ['2026-03-10T12:30:15.678', '2026-03-10T10:30:15Z'],
  ['2026-03-10T12:30:15Z', '2026-03-10T12:30:15Z'],
  ['2026-03-10T12:30:15.678+05:45', '2026-03-10T06:45:15Z'],
  ['2026-03-10 12:30-0330', '2026-03-10T16:00:00Z'],
  ['2026-03-10 12:30:15 UTC', '2026-03-10T12:30:15Z'],
  ['2026-03-10 12:30:15.678+00', '2026-03-10T12:30:15Z'],
  ['2026-03-10T12:30gmt-03', '2026-03-10T15:30:00Z'],
])('%s in Vilnius is %s', (text, moment) => {
  expect(isoMoment(text, 'Europe/Vilnius')).toBe(Date.parse(moment) / 1000)
  expect(isoDay(text)).toBe('2026-03-10')
})

test.each([
  '2026-3-10',
  'x2026-03-10',
  '2026-03-10x',
  '2026-03-10T12',
  '2026-03-10T12:30:15.',
  '2026-03-10T12:30:15+5',
  '2026-03-10Z',
  '',
])('%j is neither a moment nor a day', (text) => {
  expect([isoMoment(text, 'UTC'), isoDay(text)]).toEqual([undefined, ''])
})

test.each(['2026-02-30', '2026-03-10T25:00', '2026-03-10T12:60Z'])('%s is impossible', (text) => {
  expect(isoMoment(text, 'UTC')).toBeUndefined()
})
