import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { devicesById } from '#lib/dataset/format/references.ts'
import type { Entry } from '#lib/dataset/format/row-format.ts'
import { findServices } from '#lib/store/billing/service.ts'
import {
  subscriptions as kind,
  type Subscription,
  subscriptionColumns,
} from '#lib/store/billing/subscription.ts'
import { documentFile } from './document-file.ts'

export const subscriptions = documentFile<Subscription, Subscription>({
  columns: subscriptionColumns,
  kind,
  stored: (row) => row,
  check: async (entries, world) => {
    const devices = await devicesById(
      world,
      entries.map(({ row }) => row.device_id),
    )
    const services = await knownServices(entries, world)
    return entries.map(({ row: { device_id, service_id, from, till } }) => {
      if (!services.has(service_id)) return `service_id: there is no service ${service_id}`
      if (device_id !== undefined && !devices.has(device_id)) {
        return `device_id: there is no device ${device_id}`
      }
      return till !== undefined && till < from ? 'till is before from' : undefined
    })
  },
})

/** Of this dataset, or of the table. */
async function knownServices(
  entries: readonly Entry<Subscription>[],
  { accepted, store }: ImportWorld,
): Promise<ReadonlySet<number>> {
  const wanted = new Set(entries.map(({ row }) => row.service_id))
  const stored = await findServices(
    store,
    [...wanted].filter((id) => !accepted.services.has(id)),
  )
  return new Set([...accepted.services, ...stored.flatMap((service) => (service ? [service.id] : []))])
}
