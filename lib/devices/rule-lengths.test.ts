import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LengthRange, NO_LENGTHS, overlaps, withoutRule, withRule } from './location-rule-writing.ts'

const range: fc.Arbitrary<LengthRange> = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 99 }))
  .map(([one, other]) => ({ minlen: Math.min(one, other), maxlen: Math.max(one, other) }))

const lengthsOf = (ranges: readonly LengthRange[]) => ranges.reduce(withRule, NO_LENGTHS)

const meet = (one: LengthRange, other: LengthRange): boolean =>
  one.minlen <= other.maxlen && other.minlen <= one.maxlen

test('a range overlaps exactly if it meets one of the counted ranges', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 12 }), range, (others, asked) => {
      expect(overlaps(lengthsOf(others), asked)).toBe(others.some((other) => meet(other, asked)))
    }),
  )
})

test('removing rules leaves the counts of the remaining ones, in any order', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 8 }), fc.array(range, { maxLength: 8 }), (staying, going) => {
      const all = lengthsOf([...going, ...staying].sort((one, other) => one.maxlen - other.maxlen))
      expect(going.reduce(withoutRule, all)).toBe(lengthsOf(staying))
    }),
  )
})

test('the text is blank after the last rule is removed', () => {
  expect(withoutRule(withRule(NO_LENGTHS, { minlen: 1, maxlen: 99 }), { minlen: 1, maxlen: 99 })).toBe(
    NO_LENGTHS,
  )
})

test('stored lengths have a count for each length from 1 to 99, and are blank without rules', () => {
  const stored = `1${',0'.repeat(96)},1,1`

  expect(
    [1, 98, 99].reduce((lengths, length) => withRule(lengths, { minlen: length, maxlen: length }), ''),
  ).toBe(stored)
  expect(withoutRule(`${'0,'.repeat(98)}1`, { minlen: 99, maxlen: 99 })).toBe('')
})
