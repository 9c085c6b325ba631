import { servicesOfOwnTable } from '#lib/ingest/own-table.ts'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'

/** Consumes the queue into which switches put call records and events; see lib/ingest/message-kinds.ts for its types. */
export const handler = queueConsumer('ingest_calls', servicesOfOwnTable())
