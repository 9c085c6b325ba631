import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '#test/sweep.ts'
import { indexByPrefix } from './prefix-index.ts'

const someDigits = fc
  .array(fc.constantFrom('0', '1', '9'), { minLength: 1, maxLength: 6 })
  .map((all) => all.join(''))

test('an index finds the entries whose prefixes lead a number, the shortest first, in their order', () => {
  fc.assert(
    fc.property(fc.array(someDigits, { maxLength: 200 }), fc.array(someDigits), (prefixes, numbers) => {
      const entries = prefixes.map((prefix, row) => ({ prefix, row }))
      const leading = indexByPrefix(entries, ({ prefix }) => prefix)
      for (const digits of [...numbers, '', '5']) {
        const expected = entries.filter(({ prefix }) => digits.startsWith(prefix))
        expect(leading(digits)).toEqual(
          expected.toSorted((one, other) => one.prefix.length - other.prefix.length || one.row - other.row),
        )
      }
    }),
    { numRuns: runs(200, 5000) },
  )
})
