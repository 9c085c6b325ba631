import pMap from 'p-map'
import {
  type Imported,
  id,
  importedReader,
  integer,
  money,
  type Row,
  requiredText,
  text,
} from '#lib/store/columns.ts'
import { defineEntity, replacer } from '#lib/store/entity.ts'
import { serviceKeys } from '#lib/store/keys.ts'
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

export type ImportedService = Imported<Service>

const readService = importedReader(serviceColumns)

// Keys

const keysOfService = ({ id: serviceId, owner_id }: Pick<Service, 'id' | 'owner_id'>) => ({
  ...serviceKeys.item(serviceId),
  GSI1PK: serviceKeys.ofOwner(owner_id),
  GSI1SK: serviceKeys.place(serviceId),
})

// Access patterns

export const { findMany: findServices } = defineEntity({ key: serviceKeys.item, read: readService })

/** Ascending by id. */
export async function listServicesOf(store: Store, ownerId: number): Promise<Service[]> {
  return (await store.list({ index: 'GSI1', partition: serviceKeys.ofOwner(ownerId) })).map(readService)
}

const OWNERS_AT_ONCE = 16

/** The services of all these owners, ascending by id. */
export async function listServicesOfAll(store: Store, ownerIds: readonly number[]): Promise<Service[]> {
  const catalogues = await pMap(ownerIds, (ownerId) => listServicesOf(store, ownerId), {
    concurrency: OWNERS_AT_ONCE,
  })
  return catalogues.flat().sort((one, other) => one.id - other.id)
}

export const replaceService = replacer<ImportedService>(keysOfService)
