import { callArchiveOf } from '#lib/calls/archive/call-archive.ts'
import { deliverInGroups } from '#lib/ingest/http/deliver-in-groups.ts'
import { intakeEndpoint } from '#lib/ingest/http/intake-endpoint.ts'
import { lambdaTableServices } from '#lib/table/store.ts'

/** Mediates the CDR documents that switches post at once: `npm start` has no queue. */
export const handler = intakeEndpoint(deliverInGroups(), lambdaTableServices(callArchiveOf(process.env)))
