import { digest, id, type Row, requiredText, rowReader } from '#lib/store/columns.ts'
import type { Key } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

// Shape

/** What LCRs, locations and location groups are to this service: a name and an owner. */
export const ownedObjectColumns = { id, name: requiredText, owner_id: id }

export type OwnedObject = Row<typeof ownedObjectColumns> & { readonly digest?: string | undefined }

export const readOwnedObject = rowReader({ ...ownedObjectColumns, digest })

// Access patterns

type KeyOf = (id: number) => Key

/** In the order of the ids. */
export const finder =
  (keyOf: KeyOf) =>
  async (store: Store, ids: readonly number[]): Promise<(OwnedObject | undefined)[]> =>
    (await store.getMany(ids.map(keyOf))).map((item) => item && readOwnedObject(item))

/** The object as a dataset brings it, in place of what was there. */
export const replacer =
  (keyOf: KeyOf) =>
  (store: Store, object: OwnedObject): Promise<void> =>
    store.transact([{ put: { ...keyOf(object.id), ...object } }])
