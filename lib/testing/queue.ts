import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import type { World } from './world.ts'
import { notingWrites } from './written-keys.ts'

/** What a queue delivers: texts as they are, anything else as JSON; the messages are m1, m2, … */
export const queueEvent = (...bodies: readonly unknown[]): SQSEvent =>
  ({
    Records: bodies.map((body, position) => ({
      messageId: `m${position + 1}`,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })),
  }) as SQSEvent

/** Takes messages in as the function of the queue does. */
export const consume = (world: World, ...bodies: readonly unknown[]): Promise<SQSBatchResponse> =>
  queueConsumer('ingest_calls', {
    ...world.services,
    openStore: notingWrites('ingest_calls', world.services.openStore),
  })(queueEvent(...bodies))
