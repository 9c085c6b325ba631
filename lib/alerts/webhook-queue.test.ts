import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { webhookQueue } from './webhook-queue.ts'

interface Entry {
  readonly Id: string
  readonly MessageBody: string
  readonly MessageGroupId?: string
}

/** Answers SendMessageBatch as SQS does, and collects the entries. */
async function aQueue() {
  const entries: Entry[] = []
  const server = createServer(async (request, answer) => {
    const { Entries } = (await json(request)) as { readonly Entries: readonly Entry[] }
    entries.push(...Entries)
    const Successful = Entries.map(({ Id, MessageBody }) => ({
      Id,
      MessageId: Id,
      MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
    }))
    answer.setHeader('content-type', 'application/x-amz-json-1.0')
    answer.end(JSON.stringify({ Successful }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'key')
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  return { entries, queue: webhookQueue({ WEBHOOK_QUEUE_URL: `http://127.0.0.1:${port}/0/webhooks` }) }
}

test('the messages of each owner are a group, so that SQS takes turns between owners', async () => {
  const { entries, queue } = await aQueue()
  const event = { id: 'msg_1', type: 'payment.recorded', owner: 2, body: '{}' }

  await queue.send([0, 2, 2].map((owner, index) => ({ endpoint: `we_${index}`, owner, at: 1, event })))

  expect(entries.map(({ MessageGroupId }) => MessageGroupId)).toEqual(['owner-0', 'owner-2', 'owner-2'])
})
