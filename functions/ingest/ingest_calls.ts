import { lambdaServices } from '#lib/ingest/lambda-services.ts'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'

/** Consumes the queue into which switches put call records and events; see lib/ingest/message-kinds.ts for its types. */
export const handler = queueConsumer('ingest_calls', lambdaServices())
