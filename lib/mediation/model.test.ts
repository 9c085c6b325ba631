import { expect, test } from 'vitest'
import { followModel, inParallel } from '#lib/testing/mediation-runs.ts'
import { runs } from '#lib/testing/sweep.ts'

const STREAMS = runs(8, 30)
const CROWDS = runs(4, 12)

test('streams of CDRs give the calls, prices, counters and suspense of a plain model', async () => {
  const counts = await followModel(STREAMS)

  process.stdout.write(`mediation model: ${counts.line}\n`)
  expect(counts.streams).toBe(STREAMS)
})

test('concurrent deliveries leave each CDR in one place, and store each call once', async () => {
  const counts = await inParallel(CROWDS)

  process.stdout.write(`mediation in parallel: ${counts.line}\n`)
  expect(counts.streams).toBe(CROWDS)
})
