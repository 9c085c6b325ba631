import { expect, test } from 'vitest'
import { durationOf } from './clock.ts'

test.each([
  ['125', 125],
  ['60.25', 60.25],
  ['60,5', 60.5],
  ['60s', 60],
  ['60 seconds', 60],
  ['0', 0],
  ['00:02:05', 125],
  ['2:05', 125],
  ['1:00', 60],
  ['125:00', 7500],
  ['00:00:00', 0],
  ['00:02:05.250', 125.25],
  ['1.00:02:05', 86_525],
  ['1 day, 0:02:05', 86_525],
  ['2 days 00:00:01', 172_801],
  ['PT2M5S', 125],
  ['0.000000000000', 0],
  ['PT1M', 60],
  ['P1DT1S', 86_401],
  ['pt0.5s', 0.5],
  ['1h2m3s', 3723],
  ['2 min 5 sec', 125],
])('%j has its seconds', (text, seconds) => {
  expect(durationOf(text)).toBe(seconds)
})

test.each([
  '',
  'P',
  'PT',
  '-5',
  '6e1',
  '1,800',
  '0.000694444444444444',
  '1 800',
  '400ms',
  '00:60:00',
  '00:00:61',
  '1:2:3',
  '1:5',
  '1:00:00:00',
  '1234567890',
  'a minute',
  `PT${'1'.repeat(100_000)}`,
])('%j has none', (text) => {
  expect(durationOf(text)).toBeUndefined()
})
