import { deliverToQueue } from '#lib/ingest/http/deliver-to-queue.ts'
import { intakeDoor } from '#lib/ingest/http/intake-door.ts'
import { servicesOfOwnTable } from '#lib/ingest/own-table.ts'

/** Puts the CDR documents that switches send over HTTP into their queue. */
export const handler = intakeDoor({ ...servicesOfOwnTable(), deliver: deliverToQueue(process.env) })
