import { expect, test } from 'vitest'
import { ascending, inBatches, memoize, paired, slices } from './collections.ts'

async function* stream(items: readonly number[]): AsyncGenerator<number> {
  yield* items
}

test.each([
  [[], []],
  [[1], [[1]]],
  [[1, 2], [[1, 2]]],
  [
    [1, 2, 3],
    [[1, 2], [3]],
  ],
])('slices and batches of two: %j', async (items, cut) => {
  const batches: number[][] = []
  for await (const batch of inBatches(stream(items), 2)) batches.push(batch)

  expect([...slices(items, 2)]).toEqual(cut)
  expect(batches).toEqual(cut)
})

/** Counts its calls. */
function counting<K, T>(find: (key: K) => T) {
  const asked: K[] = []
  const counted = (key: K) => {
    asked.push(key)
    return find(key)
  }
  return { asked, find: counted }
}

test('items are paired with what was found for them, or with nothing', () => {
  const [one, other, last] = [{ id: 1 }, { id: 2 }, { id: 3 }]

  expect([...paired([one, other, last], ['a', undefined])]).toEqual([
    [one, 'a'],
    [other, undefined],
    [last, undefined],
  ])
})

test('a result is computed once for each key', () => {
  const { asked, find } = counting((key: number) => -key)
  const negated = memoize(find)

  expect([1, 1, 2, 1].map(negated)).toEqual([-1, -1, -2, -1])
  expect(asked).toEqual([1, 2])
})

test('beyond the limit, the memory is emptied', () => {
  const { asked, find } = counting((key: string) => key.length)
  const length = memoize(find, { max: 2 })

  expect(['aa', 'b', 'aa', 'ccc', 'ccc', 'aa'].map(length)).toEqual([2, 1, 2, 3, 3, 2])
  expect(asked).toEqual(['aa', 'b', 'ccc', 'aa'])
})

test('an undefined result is not remembered', () => {
  const { asked, find } = counting((_key: string) => undefined)
  const nothing = memoize(find)

  expect([nothing('a'), nothing('a')]).toEqual([undefined, undefined])
  expect(asked).toEqual(['a', 'a'])
})

test('objects are told apart by themselves, whatever the limit, or by what the caller says', () => {
  const { asked, find } = counting(({ id }: { id: number }) => id)
  const [one, other] = [{ id: 1 }, { id: 1 }]

  expect([one, one, other, one].map(memoize(find, { max: 1 }))).toEqual([1, 1, 1, 1])
  expect(asked).toEqual([one, other])
  expect([one, other].map(memoize(find, { by: ({ id }) => `id ${id}` }))).toEqual([1, 1])
  expect(asked).toEqual([one, other, one])
})

test('of two values, the comparison tells which one comes first, or that they are equal', () => {
  expect([ascending(1, 2), ascending(2, 2), ascending(3, 2)]).toEqual([-1, 0, 1])
})

test('numbers are sorted by size, texts by code units', () => {
  expect([10, 9, 100, 9].sort(ascending)).toEqual([9, 9, 10, 100])
  expect(['é', 'a', 'Z', '10', '9'].sort(ascending)).toEqual(['10', '9', 'Z', 'a', 'é'])
})
