import pMap from 'p-map'
import { ownerColumn, requiresOwner } from '#lib/accounts/account.ts'
import {
  currencyColumn,
  id,
  integer,
  labelled,
  money,
  type Row,
  requiredText,
  text,
  visible,
} from '#lib/table/columns.ts'
import { defineEntity } from '#lib/table/entity.ts'
import { keyForm, serviceKey } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

export const serviceColumns = {
  id,
  owner_id: ownerColumn,
  name: visible(requiredText),
  memo: labelled(text(), 'Note'),
  type: text(),
  period: text(),
  price: money('0'),
  self_cost: labelled(money('0'), 'Cost price'),
  currency: currencyColumn,
  quantity: integer(1),
}

/** An entry of an owner's catalogue. */
export type Service = Row<typeof serviceColumns>

const inCatalogue = keyForm('SERVICES#<owner_id>', '<id>')

export const services = defineEntity({
  name: 'service',
  columns: serviceColumns,
  key: serviceKey,
  list: inCatalogue,
  requires: [requiresOwner],
})

export const { findMany: findServices } = services

/** Ascending by id. */
export async function listServicesOf(store: Store, ownerId: number): Promise<Service[]> {
  const partition = inCatalogue.partition(ownerId)
  return (await store.list({ index: 'GSI1', partition })).map(services.read)
}

const OWNERS_AT_ONCE = 16

export async function listServicesOfAll(store: Store, ownerIds: readonly number[]): Promise<Service[]> {
  const catalogues = await pMap(ownerIds, (ownerId) => listServicesOf(store, ownerId), {
    concurrency: OWNERS_AT_ONCE,
  })
  return catalogues.flat().sort((one, other) => one.id - other.id)
}
