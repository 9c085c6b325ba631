import { expect, test } from 'vitest'
import { ascending, groupBy, inBatches, once, oncePerObject, remembering, slices } from './collections.ts'

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

test('groups and their items keep the order of the list', () => {
  expect([...groupBy(['b2', 'a1', 'b1'], (text) => text[0])]).toEqual([
    ['b', ['b2', 'b1']],
    ['a', ['a1']],
  ])
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

test('the results of the first keys are remembered, and no more than the limit', () => {
  const { asked, find } = counting((key: string) => key.length)
  const length = remembering(find, 1)

  expect(['aa', 'aa', 'b', 'b'].map(length)).toEqual([2, 2, 1, 1])
  expect(asked).toEqual(['aa', 'b', 'b'])
})

test('an undefined result is not remembered', () => {
  const { asked, find } = counting((_key: string) => undefined)
  const nothing = remembering(find)

  expect([nothing('a'), nothing('a')]).toEqual([undefined, undefined])
  expect(asked).toEqual(['a', 'a'])
})

test('a value is computed once for each object', () => {
  const { asked, find } = counting(({ id }: { id: number }) => id)
  const idOf = oncePerObject(find)
  const [one, other] = [{ id: 1 }, { id: 2 }]

  expect([one, one, other].map(idOf)).toEqual([1, 1, 2])
  expect(asked).toEqual([one, other])
})

test('a key is looked up once', () => {
  const { asked, find } = counting((key: number) => -key)
  const negated = once(find)

  expect([1, 1, 2].map(negated)).toEqual([-1, -1, -2])
  expect(asked).toEqual([1, 2])
})

test('of two values, the comparison tells which one comes first, or that they are equal', () => {
  expect([ascending(1, 2), ascending(2, 2), ascending(3, 2)]).toEqual([-1, 0, 1])
})

test('numbers are sorted by size, texts by code units', () => {
  expect([10, 9, 100, 9].sort(ascending)).toEqual([9, 9, 10, 100])
  expect(['é', 'a', 'Z', '10', '9'].sort(ascending)).toEqual(['10', '9', 'Z', 'a', 'é'])
})
