import { expect, test } from 'vitest'
import { aQueueAndBucket } from '#lib/testing/queue-and-bucket.ts'
import { deliverToQueue } from './deliver-to-queue.ts'

test('every message is sent to the queue', async () => {
  const aws = await aQueueAndBucket()

  await deliverToQueue(aws.environment('intake'))(['one', 'two', 'three', 'four', 'five'])

  expect((await aws.messagesIn('RecordQueue')).sort()).toEqual(['five', 'four', 'one', 'three', 'two'])
})

test.each([
  ['too large', 'x'.repeat(262_145)],
  ['with a character that SQS refuses', '\uFFFF'],
])('a message %s fails all of them', async (_case, refused) => {
  const aws = await aQueueAndBucket()

  await expect(deliverToQueue(aws.environment('intake'))(['one', refused, 'three'])).rejects.toThrow()
})
