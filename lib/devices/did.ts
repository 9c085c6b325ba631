import { ownerColumn, requiresOwner } from '#lib/accounts/account.ts'
import { rowRefused } from '#lib/base/row-refused.ts'
import { isLookupName } from '#lib/base/switch-names.ts'
import { plainNumberOf } from '#lib/rates/code.ts'
import { providerKey } from '#lib/rates/provider.ts'
import { digitsOf } from '#lib/rates/rating.ts'
import {
  type CellDialling,
  id,
  labelled,
  oneOf,
  optional,
  optionalId,
  type Row,
  requiredText,
} from '#lib/table/columns.ts'
import { defineEntity, type Stored } from '#lib/table/entity.ts'
import { accountKey, deviceKey, didKey, keyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

/** An international number has at most 15 digits (E.164), after a prefix of a few more. */
const MAX_DID_DIGITS = 20

/**
 * Throws refused_row for a range, a list, a pattern such as `4420794609xx`, and digits of another script: no
 * call would reach them. Full-width digits become plain ones.
 */
function singleNumberOf(text: string, dialling: CellDialling): string {
  const number = plainNumberOf(text.normalize('NFKC'), dialling)
  if (/(?!\d)\p{Nd}/u.test(number)) throw rowRefused(`${text} has digits of another script: write 0 to 9`)
  if (digitsOf(number).length > MAX_DID_DIGITS || /\d[x?_]+$/i.test(number))
    throw rowRefused(`${text} is several numbers: write a row for each`)
  return number
}

export const DID_STATUSES = ['free', 'reserved', 'active', 'closed', 'terminated'] as const

export const didColumns = {
  id,
  did: labelled({ ...requiredText, fromCell: singleNumberOf }, 'Number'),
  owner_id: ownerColumn,
  user_id: labelled(optionalId, 'Customer'),
  device_id: labelled(optionalId, 'Device'),
  provider_id: labelled(optionalId, 'Provider', 'the carrier that brings its calls'),
  status: optional(oneOf(DID_STATUSES)),
}

export type Did = Row<typeof didColumns>

const inDids = keyForm('DIDS', '<id>')

const didNumberKey = keyForm('DIDNUMBER#<digits>', 'DIDNUMBER')

/** The entry of a DID in the list of its customer. */
export const didOfUserKey = keyForm('USER#<user_id>', 'DID#<id>')

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
