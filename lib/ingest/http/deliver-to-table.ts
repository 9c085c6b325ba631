import { ingestMessages } from '#lib/ingest/ingest-messages.ts'
import { openIngestWorld } from '#lib/ingest/record-store.ts'
import { createMeter } from '#lib/store/requests/meter.ts'
import type { TableServices } from '#lib/store/services.ts'
import type { Deliver } from './intake-door.ts'

/** At once into the table, as who takes messages out of the queue would: where there is no queue. */
export const deliverToTable =
  ({ openStore, clock }: TableServices): Deliver =>
  async (messages) => {
    const world = await openIngestWorld(openStore(createMeter()), clock)
    const delivered = messages.map((body, place) => ({ id: String(place), body }))
    const [failure] = (await ingestMessages(delivered, world)).values()
    if (failure) throw new Error(failure.reason)
  }
