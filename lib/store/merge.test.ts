import fc from 'fast-check'
import { expect, test } from 'vitest'
import { merged, openLists } from './merge.ts'

async function* inPages(ids: readonly number[], size: number) {
  for (let first = 0; first < ids.length; first += size) {
    yield ids.slice(first, first + size).map((id) => ({ id }))
  }
}

test('lists that each ascend, in pages of any size, become one that ascends', async () => {
  const list = fc.tuple(fc.array(fc.nat(200), { maxLength: 60 }), fc.integer({ min: 1, max: 20 }))
  await fc.assert(
    fc.asyncProperty(fc.array(list, { maxLength: 6 }), async (lists) => {
      const ascending = (ids: readonly number[]) => [...ids].sort((one, other) => one - other)
      const opened = await openLists(lists.map(([ids, size]) => inPages(ascending(ids), size)))
      const found: number[] = []
      for await (const page of merged(opened, ({ id }) => id)) found.push(...page.map(({ id }) => id))

      expect(found).toEqual(ascending(lists.flatMap(([ids]) => ids)))
    }),
  )
})
