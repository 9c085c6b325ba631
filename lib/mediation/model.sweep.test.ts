import { expect, test } from 'vitest'
import { followModel, inParallel } from '#lib/testing/mediation-runs.ts'

const STREAMS = 30
const CROWDS = 12

test('many streams of CDRs come to what a plain model says', async () => {
  const counts = await followModel(STREAMS)

  process.stdout.write(`mediation model: ${counts.line}\n`)
  expect(counts.streams).toBe(STREAMS)
})

test('many deliveries at the same time leave each CDR in one place, and each call once', async () => {
  const counts = await inParallel(CROWDS)

  process.stdout.write(`mediation in parallel: ${counts.line}\n`)
  expect(counts.streams).toBe(CROWDS)
})
