import { expect, test } from 'vitest'
import { readFirstBatch, rowStream } from './batches.ts'

async function* batches(...of: number[][]) {
  yield* of
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

test('the first batch with rows is read, and none gets lost', async () => {
  const started = await readFirstBatch(batches([], [1, 2], [], [3]))

  expect(started?.first).toEqual([1, 2])
  expect(started && (await all(started.all))).toEqual([[1, 2], [], [3]])
})

test('an empty list has no first batch', async () => {
  expect(await readFirstBatch(batches())).toBeUndefined()
  expect(await readFirstBatch(batches([], []))).toBeUndefined()
})

test('batches become content as they arrive', async () => {
  const toText = async (batch: readonly number[]) => batch.join()

  const stream = rowStream(batches([1, 2], [3]), toText, 10)

  expect(stream.expectedBytes).toBe(10)
  expect(await all(stream.batches)).toEqual(['1,2', '3'])
  expect(rowStream(batches(), toText).expectedBytes).toBe(0)
})
