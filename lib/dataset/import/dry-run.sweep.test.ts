import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { Progress } from '#lib/dataset/format/dataset-file.ts'
import type { RowSource } from '#lib/table/cells/row-source.ts'
import { aMinute, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld, type World } from '#test/world.ts'
import { importDataset } from './import.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** A file of calls, made while it is read. */
const aFileOf = (count: number): RowSource => ({
  file: 'calls',
  async *rows() {
    for (let line = 1; line <= count; line += 1)
      yield { line, cells: { uniqueid: `a${line}`, ...aMinute, user_id: '10', user_price: '0.1' } }
  },
})

/** The bytes that a dry run of these calls keeps in memory, and its last progress report. */
async function dryRunOf({ store, now }: World, count: number) {
  let last: Progress | undefined
  let kept = 0
  const onProgress = (progress: Progress) => {
    last = progress
    if (progress.phase !== 'compare' || progress.done < count) return
    collectGarbage()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    kept = heapUsed + arrayBuffers
  }
  const file = { file: 'calls', source: aFileOf(count) } as const
  await importDataset({ store, clock: () => now }, 'old', [file], { dryRun: true, onProgress })
  return { kept, last }
}

/** A kept row takes more. Recognising repeats takes 16 to 64 bytes a call, leftover garbage up to 100. */
const MOST_BYTES_OF_A_CALL = 400

test('a dry run keeps no rows, and tells its progress up to the last one', {
  timeout: 180_000,
  // On a busy machine garbage may be left over. Kept rows would exceed the limit each time.
  retry: 2,
}, async () => {
  const world = await aWorld(threeTariffs)
  await dryRunOf(world, 10_000)
  const [few, many] = [await dryRunOf(world, 10_000), await dryRunOf(world, 60_000)]

  expect((many.kept - few.kept) / 50_000).toBeLessThan(MOST_BYTES_OF_A_CALL)
  expect(many.last).toEqual({ file: 'calls', phase: 'compare', done: 60_000, total: 60_000 })
})
