import { createHash } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { aServer } from '#lib/testing/server.ts'
import { deliverToQueue } from './deliver-to-queue.ts'

const environment = (origin: string) => ({
  AWS_LAMBDA_FUNCTION_NAME: 'intake',
  AWS_REGION: 'eu-central-1',
  RECORD_QUEUE_URL: `${origin}/123/records`,
})

/** As the queue says what has arrived. */
const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

async function aQueue(statusFor: (body: string) => number) {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  const queue = await aServer(({ body }, response) => {
    response.statusCode = statusFor(body)
    response.end(JSON.stringify({ MessageId: '1', MD5OfMessageBody: md5(JSON.parse(body).MessageBody) }))
  })
  return { queue, deliver: deliverToQueue(environment(queue.origin)) }
}

test('every message is sent to the queue', async () => {
  const { queue, deliver } = await aQueue(() => 200)

  await deliver(['one', 'two', 'three'])

  expect(queue.arrived.map(({ body }) => JSON.parse(body).MessageBody).sort()).toEqual([
    'one',
    'three',
    'two',
  ])
})

test('one that does not arrive fails all of them', async () => {
  const { deliver } = await aQueue((body) => (body.includes('two') ? 400 : 200))

  await expect(deliver(['one', 'two', 'three'])).rejects.toThrow()
})
