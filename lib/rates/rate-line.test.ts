import { expect, test } from 'vitest'
import { anyTimeRate } from '#test/examples/tariffs.ts'
import { endOfLine, fromLine, lineUntil, toLine } from './tariff.ts'

const rate = anyTimeRate({ effective_from: 5, code: '' })

test.each([[{}], [{ ends_at: 1000 }], [{ ends_at: 1000, after_end: 'blocked' as const }]])(
  'a rate with %j is read as it was written',
  (rest) => {
    expect(fromLine(toLine({ ...rate, ...rest }))).toEqual({ ...rate, ...rest })
  },
)

test('a rate without an end has the line of earlier versions', () => {
  expect(toLine(rate)).toBe('370\t000000000005\t00:00:00\t23:59:59\t0\t1\t0\t1\t0\t\t\t')
})

test('an earlier end stays', () => {
  const blocked = toLine({ ...rate, ends_at: 1000, after_end: 'blocked' })

  expect(endOfLine(toLine(rate))).toBe(Number.POSITIVE_INFINITY)
  expect(lineUntil(blocked, 1000)).toBe(blocked)
  expect(lineUntil(blocked, 999)).toBe(toLine({ ...rate, ends_at: 999 }))
})
