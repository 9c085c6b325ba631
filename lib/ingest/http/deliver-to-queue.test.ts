import { expect, test } from 'vitest'
import { aQueueAndBucket } from '#test/queue/queue-and-bucket.ts'
import { aWorld } from '#test/world.ts'
import { deliverToQueue } from './deliver-to-queue.ts'

/** CDRs so large that each needs a message of its own. */
const linesOf = (...names: readonly string[]) =>
  names.map((name) => JSON.stringify({ name, filling: 'x'.repeat(150_000) })).join('\n')

async function deliver(environment: NodeJS.ProcessEnv, text: string) {
  const { store, now } = await aWorld()
  await deliverToQueue(environment)(store, now, { format: 'live', source: 'sw', zone: '', text })
}

test('every message is sent to the queue', async () => {
  const aws = await aQueueAndBucket()
  const text = linesOf('one', 'two', 'three', 'four', 'five')

  await deliver(aws.environment('intake'), text)

  const documents = (await aws.messagesIn('RecordQueue')).map((body) => JSON.parse(body).document.trim())
  expect(documents.sort()).toEqual(text.split('\n').sort())
})

test('the delivery fails if a message does not arrive', async () => {
  const aws = await aQueueAndBucket()
  const elsewhere = { ...aws.environment('intake'), RECORD_QUEUE_URL: 'http://127.0.0.1:1/none' }

  await expect(deliver(elsewhere, linesOf('one', 'two'))).rejects.toThrow()
})
