import { expect, test } from 'vitest'
import { aQueueAndBucket } from '#lib/testing/queue-and-bucket.ts'
import { aWorld } from '#lib/testing/world.ts'
import { deliverToQueue } from './deliver-to-queue.ts'

/** CDRs of which no two fit into one message. */
const linesOf = (...names: readonly string[]) =>
  names.map((name) => JSON.stringify({ name, filling: 'x'.repeat(150_000) })).join('\n')

async function aDelivery(text: string) {
  const { store, now } = await aWorld()
  return {
    store,
    now,
    document: { format: 'live', source: 'sw', zone: '', text } as const,
    problem: undefined,
  }
}

test('every message is sent to the queue', async () => {
  const aws = await aQueueAndBucket()
  const text = linesOf('one', 'two', 'three', 'four', 'five')

  await deliverToQueue(aws.environment('intake'))(await aDelivery(text))

  const documents = (await aws.messagesIn('RecordQueue')).map((body) => JSON.parse(body).document.trim())
  expect(documents.sort()).toEqual(text.split('\n').sort())
})

test('a message that does not arrive fails all of them', async () => {
  const aws = await aQueueAndBucket()
  const elsewhere = { ...aws.environment('intake'), RECORD_QUEUE_URL: 'http://127.0.0.1:1/none' }

  await expect(deliverToQueue(elsewhere)(await aDelivery(linesOf('one', 'two')))).rejects.toThrow()
})
