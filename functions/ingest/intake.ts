import { deliverToQueue } from '#lib/ingest/http/deliver-to-queue.ts'
import { intakeDoor } from '#lib/ingest/http/intake-door.ts'

/** Puts the CDR documents that switches post into the queue. */
export const handler = intakeDoor(deliverToQueue(process.env))
