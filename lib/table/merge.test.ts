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

test('of equal rows, those of the list that was opened first come first', async () => {
  const lists = [2, 1].map((list) => inPages([5, 5, 5], list))
  const opened = await openLists(lists.map((pages, list) => withList(pages, list)))
  const found: number[] = []
  for await (const page of merged(opened, ({ id }) => id)) found.push(...page.map(({ list }) => list))

  expect(found).toEqual([0, 0, 0, 1, 1, 1])
})

async function* withList(pages: AsyncGenerator<{ id: number }[]>, list: number) {
  for await (const page of pages) yield page.map(({ id }) => ({ id, list }))
}

test.each([10, 1000])(
  'each row is looked at once, and each page asked for once, among %i lists',
  async (count) => {
    const asked = { rows: 0, pages: 0 }
    const lists = Array.from({ length: count }, async function* (_, list) {
      for (const page of [0, 1]) {
        asked.pages += 1
        yield Array.from({ length: 10 }, (_row, row) => ({ id: (page * 10 + row) * count + list }))
      }
    } as (_: unknown, list: number) => AsyncGenerator<{ id: number }[]>)
    const ids: number[] = []
    const placeOf = ({ id }: { id: number }) => {
      asked.rows += 1
      return id
    }
    for await (const page of merged(await openLists(lists), placeOf)) ids.push(...page.map(({ id }) => id))

    expect(ids).toEqual(Array.from({ length: 20 * count }, (_, id) => id))
    expect(asked).toEqual({ rows: 20 * count, pages: 2 * count })
  },
)
