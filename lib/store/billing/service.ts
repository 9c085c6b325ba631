import pMap from 'p-map'
import { digest, id, integer, money, type Row, requiredText, rowReader, text } from '#lib/store/columns.ts'
import { padded, serviceKey, servicesOfOwner } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

export const serviceColumns = {
  id,
  owner_id: id,
  name: requiredText,
  memo: text(),
  type: text(),
  period: text(),
  price: money('0'),
  self_cost: money('0'),
  /** Blank: the default currency. */
  currency: text(),
  quantity: integer(1),
}

/** An entry of an owner's catalogue. */
export type Service = Row<typeof serviceColumns>

export type ImportedService = Service & { readonly digest?: string | undefined }

const readService = rowReader({ ...serviceColumns, digest })

// Keys

const serviceKeys = ({ id: serviceId, owner_id }: Pick<Service, 'id' | 'owner_id'>) => ({
  ...serviceKey(serviceId),
  GSI1PK: servicesOfOwner(owner_id),
  GSI1SK: padded(serviceId),
})

// Access patterns

/** In the order of the ids. */
export async function findServices(
  store: Store,
  ids: readonly number[],
): Promise<(ImportedService | undefined)[]> {
  return (await store.getMany(ids.map(serviceKey))).map((item) => item && readService(item))
}

/** Ascending by id. */
export async function listServicesOf(store: Store, ownerId: number): Promise<Service[]> {
  return (await store.list({ index: 'GSI1', partition: servicesOfOwner(ownerId) })).map(readService)
}

const OWNERS_AT_ONCE = 16

/** Of all these owners; ascending by id. */
export async function listServicesOfAll(store: Store, ownerIds: readonly number[]): Promise<Service[]> {
  const catalogues = await pMap(ownerIds, (ownerId) => listServicesOf(store, ownerId), {
    concurrency: OWNERS_AT_ONCE,
  })
  return catalogues.flat().sort((one, other) => one.id - other.id)
}

/** A service as a dataset brings it, in place of what was there. */
export const replaceService = (store: Store, service: ImportedService): Promise<void> =>
  store.transact([{ put: { ...serviceKeys(service), ...service } }])
