import { expect, test } from 'vitest'
import { joinedBatches, readFirstBatch, rowStream } from './batches.ts'

async function* batches(...of: number[][]) {
  yield* of
}

test('the first batch with rows is read, and none gets lost', async () => {
  const started = await readFirstBatch(batches([], [1, 2], [], [3]))

  expect(started?.first).toEqual([1, 2])
  expect(started && (await Array.fromAsync(started.all))).toEqual([[1, 2], [], [3]])
})

test('an empty list has no first batch', async () => {
  expect(await readFirstBatch(batches())).toBeUndefined()
  expect(await readFirstBatch(batches([], []))).toBeUndefined()
})

test('small batches are joined until they have enough rows, and the last ones are not lost', async () => {
  const joined = await Array.fromAsync(joinedBatches(batches([1], [2, 3], [4], [5, 6, 7], [8, 9], []), 3))

  expect(joined).toEqual([
    [1, 2, 3],
    [4, 5, 6, 7],
    [8, 9],
  ])
  expect(await Array.fromAsync(joinedBatches(batches([1, 2], [3, 4], []), 2))).toEqual([
    [1, 2],
    [3, 4],
  ])
})

test('batches become content as they arrive', async () => {
  const toText = async (batch: readonly number[]) => batch.join()

  const stream = rowStream(batches([1, 2], [3]), toText, 10)

  expect(stream.expectedBytes).toBe(10)
  expect(await Array.fromAsync(stream.batches)).toEqual(['1,2', '3'])
  expect(rowStream(batches(), toText).expectedBytes).toBe(0)
})
