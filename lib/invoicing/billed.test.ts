import { expect, test } from 'vitest'
import {
  type CallSums,
  chargesBilled,
  hasNoCalls,
  isEmptyPart,
  NOTHING_BILLED,
  type OpenPart,
  openPart,
  withoutPart,
  withPart,
  ZERO_CALLS,
} from './billed.ts'

const sums = (calls: number, seconds: number, amount: string): CallSums => ({ calls, seconds, amount })

const nothing: OpenPart = { calls: { own: {}, resold: {} }, charges: {}, minimum: '0' }

const part = (given: Partial<OpenPart>): OpenPart => ({ ...nothing, ...given })

const noted = (own: Record<string, number>, resold: Record<string, number> = {}) => ({
  seen: { own, resold },
  minimum: '0',
})

test('of a new month nothing is billed', () => {
  expect(NOTHING_BILLED).toEqual({ parts: {}, seen: { own: {}, resold: {} }, minimum: '0', credited: [] })
})

test('sums without calls, seconds and amount are none', () => {
  expect(
    [
      ZERO_CALLS,
      sums(1, 0, '0'),
      sums(0, 1, '0'),
      sums(0, 0, '0.000001'),
      sums(1, 1, '0'),
      sums(-1, 0, '1'),
    ].map(hasNoCalls),
  ).toEqual([true, false, false, false, false, false])
})

test('a part without calls, charges and a minimum is empty', () => {
  const day = { '2026-05-01': sums(1, 1, '1') }
  const parts = [
    nothing,
    part({ calls: { own: day, resold: {} } }),
    part({ calls: { own: {}, resold: day } }),
    part({ charges: { 1: '1' } }),
    part({ minimum: '1' }),
  ]

  expect(parts.map(isEmptyPart)).toEqual([true, false, false, false, false])
})

test('differences are by day, ascending, without days that have none', () => {
  const now = {
    own: { '2026-05-09': sums(1, 1, '1'), '2026-05-02': sums(2, 2, '2'), '2026-05-03': sums(3, 3, '3') },
    resold: {},
  }
  const billed = withPart(
    NOTHING_BILLED,
    { id: 1, number: 'A-1' },
    part({ calls: { own: { '2026-05-03': sums(3, 3, '3') }, resold: {} }, charges: { 7: '1' } }),
    noted({}),
  )

  expect(Object.entries(openPart(billed, now, {}, '0').calls.own)).toEqual([
    ['2026-05-02', sums(2, 2, '2')],
    ['2026-05-09', sums(1, 1, '1')],
  ])
  expect([...chargesBilled(billed)]).toEqual(['7'])
})

test('the days that documents have read are kept, and an empty part is not', () => {
  const first = withPart(
    NOTHING_BILLED,
    { id: 1, number: 'A-1' },
    nothing,
    noted({ '2026-05-01': 1 }, { '2026-05-01': 5 }),
  )
  const second = withPart(
    first,
    { id: 2, number: 'A-2' },
    part({ minimum: '1' }),
    noted({ '2026-05-02': 2 }, { '2026-05-02': 6 }),
  )

  expect(second).toEqual({
    parts: { 2: { ...nothing, minimum: '1', number: 'A-2' } },
    seen: { own: { '2026-05-01': 1, '2026-05-02': 2 }, resold: { '2026-05-01': 5, '2026-05-02': 6 } },
    minimum: '0',
    credited: [],
  })
})

test('the days that a credited document has billed are read again, the others are not', () => {
  const calls = { own: { '2026-05-01': sums(1, 1, '1') }, resold: { '2026-05-02': sums(1, 1, '1') } }
  const seen = noted({ '2026-05-01': 1, '2026-05-02': 2 }, { '2026-05-01': 3, '2026-05-02': 4 })
  const billed = withPart(NOTHING_BILLED, { id: 1, number: 'A-1' }, part({ calls }), seen)

  expect(withoutPart(billed, 1)).toEqual({
    ...NOTHING_BILLED,
    seen: { own: { '2026-05-02': 2 }, resold: { '2026-05-01': 3 } },
  })
  expect(withoutPart(billed, 2)).toEqual(billed)
})
