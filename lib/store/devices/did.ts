import * as v from 'valibot'
import { isLookupName } from '#lib/domain/calls/switch-names.ts'
import { digitsOf } from '#lib/domain/rates/rating.ts'
import { requiresOwner } from '#lib/store/accounts/account.ts'
import { id, oneOf, optional, optionalId, type Row, requiredText } from '#lib/store/columns.ts'
import { defineEntity, type Stored } from '#lib/store/entity.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { accountKey, deviceKey, didKey, keyForm } from '#lib/store/keys.ts'
import { providerKey } from '#lib/store/rates/provider.ts'
import type { Store } from '#lib/store/store.ts'
import { formatIn } from '#lib/store/table-format.ts'

// Shape

export const DID_STATUSES = ['free', 'reserved', 'active', 'closed', 'terminated'] as const

export const didColumns = {
  id,
  /** The number itself. */
  did: requiredText,
  owner_id: id,
  user_id: optionalId,
  device_id: optionalId,
  /** The carrier that brings its calls. */
  provider_id: optionalId,
  status: optional(oneOf(DID_STATUSES)),
}

export type Did = Row<typeof didColumns>

// Declaration

const inDids = keyForm('DIDS', '<id>')

/** Leads from the digits of a number to its DID. */
const didNumberKey = keyForm('DIDNUMBER#<digits>', 'DIDNUMBER')

/** The entry of a DID in the list of its customer. */
const didOfUserKey = keyForm('USER#<user_id>', 'DID#<id>')

export const dids = defineEntity({
  name: 'DID',
  columns: didColumns,
  key: didKey,
  list: inDids,
  claims: [
    {
      key: didNumberKey,
      /** A DID without digits cannot be dialled. */
      of: ({ did }) => [digitsOf(did)].filter(isLookupName).map((digits) => ({ digits })),
    },
  ],
  copies: [
    {
      key: didOfUserKey,
      of: ({ user_id }) => (user_id === undefined ? [] : [{ user_id }]),
      holds: ({ did, device_id, status }) => ({ did, device_id, status }),
      since: 2,
    },
  ],
  requires: [
    requiresOwner,
    { column: 'user_id', names: accountKey },
    { column: 'device_id', names: deviceKey, counted: 'did_count' },
    { column: 'provider_id', names: providerKey },
  ],
})

// Access patterns

export const { findMany: findDids } = dids

/** Every DID, ascending by id, page by page. */
export async function* listDids(store: Store): AsyncGenerator<Stored<Did>[]> {
  const pages = store.pages({ index: 'GSI1', partition: inDids.partition() })
  for await (const page of pages) yield page.map(dids.read)
}

/** The ids of the DIDs with these numbers, in their order. The numbers are digits only. */
export async function findIdsOfDids(
  store: Store,
  numbers: readonly string[],
): Promise<(number | undefined)[]> {
  const pointers = await store.getMany(numbers.map(didNumberKey))
  return pointers.map((pointer) => pointer && Number(pointer['id']))
}

const listedDidSchema = v.object({
  id: v.number(),
  did: v.string(),
  device_id: v.optional(v.number()),
  status: v.optional(v.picklist(DID_STATUSES)),
})

/** A DID as the list of its customer shows it. */
export type ListedDid = Readonly<v.InferOutput<typeof listedDidSchema>>

/** The DIDs of a customer, ascending by id. A table of format 1 has no such lists: every DID is read. */
export async function listDidsOf(store: Store, user: number): Promise<ListedDid[]> {
  const [settings, listed] = await Promise.all([findSettings(store), store.list(didOfUserKey.range(user))])
  if (formatIn(settings) >= 2) return listed.map((item) => v.parse(listedDidSchema, item))
  const found: ListedDid[] = []
  for await (const page of listDids(store)) found.push(...page.filter(({ user_id }) => user_id === user))
  return found
}
