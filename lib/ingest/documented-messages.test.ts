import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld } from '#test/world.ts'

const messages = readFileSync('docs/switches.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('{ "type":'))

test('the queue accepts every message in docs/switches.md', async () => {
  const world = await aWorld({ users: people })

  const { batchItemFailures } = await consume(world, ...messages)

  expect([messages.length, batchItemFailures]).toEqual([6, []])
})
