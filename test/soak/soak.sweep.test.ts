import { expect, test } from 'vitest'
import { soak } from './soak.ts'

test('after mixed traffic and kills, every acknowledged write and counter is right', async () => {
  const { acknowledged, problems } = await soak({ minutes: 0.7, rates: 2000, tell: () => {} })

  process.stdout.write(`soak: ${JSON.stringify(acknowledged)}\n`)
  expect(problems).toEqual([])
  expect(Math.min(...Object.values(acknowledged))).toBeGreaterThan(0)
})
