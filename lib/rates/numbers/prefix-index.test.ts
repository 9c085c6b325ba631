import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '#test/sweep.ts'
import { indexByPrefix } from './prefix-index.ts'

const someDigits = fc
  .array(fc.constantFrom('0', '1', '9'), { minLength: 1, maxLength: 6 })
  .map((all) => all.join(''))

test('an index finds the entries whose prefixes lead a number, the longest first', () => {
  fc.assert(
    fc.property(fc.array(someDigits, { maxLength: 200 }), fc.array(someDigits), (prefixes, numbers) => {
      const entries = prefixes.map((prefix, row) => ({ prefix, row }))
      const leading = indexByPrefix(entries, ({ prefix }) => prefix)
      for (const digits of [...numbers, '', '5']) {
        const expected = entries.filter(({ prefix }) => digits.startsWith(prefix))
        const found = leading(digits)
        expect(found.toSorted((one, other) => one.row - other.row)).toEqual(expected)
        expect(found.map(({ prefix }) => prefix.length)).toEqual(
          found.map(({ prefix }) => prefix.length).toSorted((one, other) => other - one),
        )
      }
    }),
    { numRuns: runs(200, 5000) },
  )
})
