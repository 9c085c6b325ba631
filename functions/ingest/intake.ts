import { deliverToQueue } from '#lib/ingest/http/deliver-to-queue.ts'
import { intakeDoor } from '#lib/ingest/http/intake-door.ts'
import { lambdaServices } from '#lib/ingest/lambda-services.ts'

/** Puts the records that switches send over HTTP into their queue. */
export const handler = intakeDoor({ ...lambdaServices(), deliver: deliverToQueue(process.env) })
