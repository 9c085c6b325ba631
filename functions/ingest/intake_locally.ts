import { deliverToTable } from '#lib/ingest/http/deliver-to-table.ts'
import { intakeDoor } from '#lib/ingest/http/intake-door.ts'
import { servicesOfOwnTable } from '#lib/ingest/own-table.ts'

const services = servicesOfOwnTable()

/** Takes in at once what switches send over HTTP: what `npm start` runs, where there is no queue. */
export const handler = intakeDoor({ ...services, deliver: deliverToTable(services) })
