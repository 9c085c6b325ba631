import { expect, test } from 'vitest'
import { anyTimeRate } from '#test/examples/tariffs.ts'
import type { Rate } from './rating.ts'
import { plannedRates } from './sheet-plan.ts'
import { endOfLine, toLine } from './tariff.ts'
import { compareRates, describeChange, removalsOf } from './tariff-change.ts'

const NOW = 1_000_000
const [PAST, LATER] = [NOW - 1000, NOW + 1000]

const line = (prefix: string, tariff_rate: string, rest: Partial<Rate> = {}): string =>
  toLine(anyTimeRate({ prefix, tariff_rate, ...rest }))

const compare = (before: readonly string[], after: readonly string[]) => compareRates(before, after, NOW)

test('a change is counted by rates, and its steps by prefixes with the largest ones', () => {
  const before = [
    line('1', '1'),
    line('2', '1'),
    line('3', '2'),
    line('4', '1'),
    line('5', '1'),
    line('6', '1'),
    line('8', '1'),
    line('9', '-1'),
  ]
  const after = [
    line('1', '1'),
    line('2', '1.5'),
    line('3', '1'),
    line('4', '1', { increment: 60 }),
    line('6', '1', {}),
    line('6', '1.005', { effective_from: LATER }),
    line('7', '1'),
    line('8', '-1'),
    line('9', '1'),
  ]

  expect(describeChange(compare(before, after))).toBe(
    '2 rates added, 1 removed, 5 changed, 2 unchanged; 3 prefixes raised (at most by 1100 %, prefix 4), 1 prefix lowered (at most by 50 %, prefix 3)',
  )
})

test('a rise from 0 has no percentage', () => {
  expect(describeChange(compare([line('1', '0')], [line('1', '0.01')]))).toBe(
    '0 rates added, 0 removed, 1 changed, 0 unchanged; 1 prefix raised',
  )
})

const tenPrefixes = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'].map((prefix) => line(prefix, '1'))

test('removing more than a tenth of the prefixes needs permission', () => {
  expect(removalsOf(compare(tenPrefixes, tenPrefixes.slice(1)))).toBeUndefined()
  expect(removalsOf(compare(tenPrefixes, [...tenPrefixes.slice(2), line('99', '1')]))).toBe(
    '2 of 10 prefixes would be removed, more than a tenth',
  )
})

test('leaving no rate in force needs permission, but a new tariff may begin later', () => {
  const later = tenPrefixes.map((_, prefix) => line(String(prefix), '1', { effective_from: LATER }))

  expect(removalsOf(compare(tenPrefixes, later))).toBe('no rate would be in force today')
  expect(removalsOf(compare([], later))).toBeUndefined()
})

interface Planned {
  readonly isWhole?: boolean
  readonly ended?: Readonly<Record<string, number>>
}

/** The planned rates as `prefix rate from`, and the number of ending prefixes. */
function planned(
  stored: readonly string[],
  lines: readonly string[],
  { isWhole = false, ended = {} }: Planned = {},
) {
  const plan = plannedRates(stored, { isWhole, lines, now: NOW, ended: new Map(Object.entries(ended)) })
  const rates = plan.lines.map((one) => {
    const [prefix, from, , , , rate] = one.split('\t')
    const ends = endOfLine(one)
    const until = Number.isFinite(ends) ? ` until ${ends - NOW}` : ''
    return `${prefix} ${rate}${from ? ` from ${Number(from) - NOW}` : ''}${until}`
  })
  return { rates, ending: plan.ending }
}

const stored = [line('33', '1'), line('44', '1', { effective_from: PAST }), line('49', '1')]

test('a partial sheet keeps the prefixes that it does not mention', () => {
  expect(planned(stored, [line('33', '2'), line('34', '3')])).toEqual({
    rates: ['33 2', '34 3', '44 1 from -1000', '49 1'],
    ending: 0,
  })
})

test('a rate without a date replaces the stored rate at once, even one with a date', () => {
  expect(planned(stored, [line('44', '2')]).rates).toEqual(['33 1', '44 2', '49 1'])
})

test('a partial sheet keeps earlier rates and announced rates', () => {
  const known = [line('33', '1'), line('33', '4', { effective_from: LATER })]

  expect(planned(known, [line('33', '2', { effective_from: PAST })]).rates).toEqual([
    '33 1',
    '33 2 from -1000',
    '33 4 from 1000',
  ])
})

test('a rate for one window of hours keeps the rates of other windows', () => {
  const nights = line('33', '0.5', { start_time: '20:00:00', end_time: '06:00:00' })

  expect(planned([line('33', '1'), nights], [line('33', '2')]).rates).toEqual(['33 2', '33 0.5'])
})

test.each([[true], [false]])(
  'a rate that begins later keeps the present rate until then, whole tariff: %s',
  (isWhole) => {
    expect(
      planned([line('33', '1')], [line('33', '2', { effective_from: LATER })], { isWhole }).rates,
    ).toEqual(['33 1', '33 2 from 1000'])
  },
)

test('a whole tariff removes the prefixes that it leaves out', () => {
  expect(planned(stored, [line('33', '2')], { isWhole: true })).toEqual({ rates: ['33 2'], ending: 0 })
})

test('a whole tariff that begins later ends the rates that it leaves out then', () => {
  expect(planned(stored, [line('33', '2', { effective_from: LATER })], { isWhole: true })).toEqual({
    rates: ['33 1', '33 2 from 1000', '44 1 from -1000 until 1000', '49 1 until 1000'],
    ending: 2,
  })
})

test('a whole tariff that begins later ends the hours that it leaves out then', () => {
  const nights = line('33', '0.5', { start_time: '20:00:00', end_time: '06:00:00' })
  const later = line('33', '2', { effective_from: LATER })

  expect(planned([line('33', '1'), nights], [later], { isWhole: true }).rates).toEqual([
    '33 1',
    '33 0.5 until 1000',
    '33 2 from 1000',
  ])
})

test('a prefix with a rate and a later end ends, and its announced rates go', () => {
  const announced = line('44', '3', { effective_from: LATER + 1 })

  expect(
    planned([line('33', '1'), line('44', '1'), announced], [line('33', '2')], {
      ended: { '33': LATER, '44': LATER },
    }),
  ).toEqual({
    rates: ['33 2 until 1000', '44 1 until 1000'],
    ending: 2,
  })
})

test('a prefix that has ended is removed, and one that ends later ends then', () => {
  expect(planned(stored, [], { ended: { '33': 0, '44': LATER } })).toEqual({
    rates: ['44 1 from -1000 until 1000', '49 1'],
    ending: 1,
  })
})
