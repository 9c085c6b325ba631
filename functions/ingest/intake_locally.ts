import { deliverToTable } from '#lib/ingest/http/deliver-to-table.ts'
import { intakeDoor } from '#lib/ingest/http/intake-door.ts'
import { servicesOfOwnTable } from '#lib/ingest/own-table.ts'

/** Mediates what switches send over HTTP at once: `npm start` has no queue. */
export const handler = intakeDoor({ ...servicesOfOwnTable(), deliver: deliverToTable })
