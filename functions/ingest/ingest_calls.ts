import { callArchiveOf } from '#lib/calls/archive/call-archive.ts'
import { consumerServices, queueConsumer } from '#lib/ingest/queue-consumer.ts'

/** Consumes the queue of CDRs and call events. lib/ingest/queue-consumer.ts has the types of its messages. */
export const handler = queueConsumer(consumerServices(callArchiveOf(process.env)))
