import { expect, test } from 'vitest'
import { anyTimeRate } from '#test/examples/tariffs.ts'
import { bestRateAt, type Rate } from './rating.ts'
import { toLine } from './tariff.ts'
import { weekProblems, weekTable } from './week.ts'

const NOW = 1_000_000

const line = (prefix: string, tariff_rate: string, hours: string, daytype: Rate['daytype'], rest = {}) => {
  const [start_time = '', end_time = ''] = hours.split(' ')
  return toLine(anyTimeRate({ prefix, tariff_rate, start_time, end_time, daytype, ...rest }))
}

const problems = (...lines: readonly string[]) => weekProblems(lines.toSorted(), NOW)

const PEAK = line('44', '0.10', '08:00:00 17:59:59', 'weekday')
const NIGHT = line('44', '0.01', '18:00:00 07:59:59', 'weekday')
const WEEKEND = line('44', '0.005', '00:00:00 23:59:59', 'weekend')

test('weekday nights leave Monday without a price, and price Saturday twice', () => {
  expect(problems(PEAK, NIGHT, WEEKEND)).toEqual({
    gaps: ['44 has no price on Mon 00:00:00-07:59:59'],
    overlaps: ['44 has two prices, 0.005 and 0.01, on Sat 00:00:00-07:59:59'],
    falls: [],
  })
  expect(weekTable([PEAK, NIGHT, WEEKEND], NOW)).toEqual([
    'Mon: 00:00:00-07:59:59 no price, 08:00:00-17:59:59 0.10, 18:00:00-23:59:59 0.01',
    'Tue-Fri: 00:00:00-07:59:59 0.01, 08:00:00-17:59:59 0.10, 18:00:00-23:59:59 0.01',
    'Sat: 00:00:00-07:59:59 0.01, 08:00:00-23:59:59 0.005',
    'Sun: 00:00:00-23:59:59 0.005',
  ])
})

test('a shorter prefix that has a price in the gap is named, and is no problem', () => {
  const wide = line('4', '0.3', '00:00:00 23:59:59', 'everyday')
  expect(problems(wide, PEAK)).toEqual({
    gaps: [],
    overlaps: [],
    falls: [
      '44 falls to 4 on Mon 00:00:00-07:59:59, Mon 18:00:00-Tue 07:59:59, Tue 18:00:00-Wed 07:59:59, Wed 18:00:00-Thu 07:59:59, …',
    ],
  })
  const blocked = line('4', '-1', '00:00:00 23:59:59', 'everyday')
  expect(problems(blocked, PEAK).gaps).toEqual([])
  expect(problems(line('4', '0.3', '08:00:00 23:59:59', 'everyday'), PEAK).gaps).toHaveLength(2)
})

const NONE = { gaps: [], overlaps: [], falls: [] }

test.each([
  [
    'the whole day and a window',
    [
      ['00:00:00 23:59:59', 'everyday'],
      ['08:00:00 17:59:59', 'everyday'],
    ],
  ],
  [
    'every day beside the weekend',
    [
      ['00:00:00 23:59:59', 'everyday'],
      ['00:00:00 23:59:59', 'weekend'],
    ],
  ],
  [
    'weekdays and weekends',
    [
      ['00:00:00 23:59:59', 'weekday'],
      ['00:00:00 23:59:59', 'weekend'],
    ],
  ],
  [
    'day and night of every day',
    [
      ['08:00:00 19:59:59', 'everyday'],
      ['20:00:00 07:59:59', 'everyday'],
    ],
  ],
  [
    'ends that are begins',
    [
      ['08:00:00 18:00:00', 'everyday'],
      ['18:00:00 08:00:00', 'everyday'],
    ],
  ],
] as const)('%s are no problem', (_name, windows) => {
  expect(
    problems(...windows.map(([hours, days], index) => line('44', `0.${index + 1}`, hours, days))),
  ).toEqual(NONE)
})

test('windows of one day type that overlap are named, of another begin they are not', () => {
  const early = line('44', '0.1', '08:00:00 12:00:00', 'everyday')
  const late = line('44', '0.2', '11:00:00 07:59:59', 'everyday')
  expect(problems(early, late).overlaps).toEqual([
    expect.stringContaining('44 has two prices, 0.1 and 0.2, on Mon 11:00:00-12:00:00'),
  ])
  const newer = line('44', '0.2', '11:00:00 07:59:59', 'everyday', { effective_from: NOW - 1 })
  expect(problems(early, newer)).toEqual(NONE)
})

test('the second in which one rate ends and the next begins belongs to the next', () => {
  const rates = [
    anyTimeRate({ prefix: '44', tariff_rate: '0.1', start_time: '08:00:00', end_time: '18:00:00' }),
    anyTimeRate({ prefix: '44', tariff_rate: '0.01', start_time: '18:00:00', end_time: '08:00:00' }),
  ]
  const at = (time: string) =>
    bestRateAt({ at: Date.parse(`2026-11-24T${time}Z`) / 1000, zone: 'UTC' })(rates)?.tariff_rate
  expect(['07:59:59', '08:00:00', '17:59:59', '18:00:00'].map(at)).toEqual(['0.01', '0.1', '0.1', '0.01'])
})

test('two rates of equal terms are one price', () => {
  const early = line('44', '0.1', '08:00:00 12:00:00', 'everyday')
  expect(problems(early, line('44', '0.1', '11:00:00 07:59:59', 'everyday'))).toEqual(NONE)
})
