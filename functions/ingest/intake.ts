import { deliverToQueue } from '#lib/ingest/http/deliver-to-queue.ts'
import { intakeEndpoint } from '#lib/ingest/http/intake-endpoint.ts'

/** Puts the CDR documents that switches post into the queue. */
export const handler = intakeEndpoint(deliverToQueue(process.env))
