import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { createMeter } from '#lib/store/requests/meter.ts'
import type { TableServices } from '#lib/store/store.ts'
import { ingestMessages } from './ingest-messages.ts'
import { openIngestWorld } from './record-store.ts'

export type QueueConsumer = (event: SQSEvent) => Promise<SQSBatchResponse>

/**
 * Takes messages in and reports those that failed, each for itself: the queue delivers them again and, after a few times,
 * hands them over to the dead-letter queue. The log says why, and never what was in them.
 */
export const queueConsumer =
  (name: string, { openStore, clock, log }: TableServices): QueueConsumer =>
  async ({ Records }) => {
    const meter = createMeter()
    const startedAt = clock()
    const world = await openIngestWorld(openStore(meter), clock)
    const delivered = Records.map(({ messageId, body }) => ({ id: messageId, body }))
    const failures = await ingestMessages(delivered, world)
    for (const [message, failure] of failures) log({ function: name, message, ...failure })
    log({
      function: name,
      outcome: 'ingested',
      messages: Records.length,
      failed: failures.size,
      ...meter.noted,
      milliseconds: clock().getTime() - startedAt.getTime(),
      read_units: meter.spent.read,
      write_units: meter.spent.write,
    })
    return { batchItemFailures: [...failures.keys()].map((itemIdentifier) => ({ itemIdentifier })) }
  }
