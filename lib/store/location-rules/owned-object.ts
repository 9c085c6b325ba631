import { type Imported, id, importedReader, type Row, requiredText } from '#lib/store/columns.ts'
import { defineEntity, replacer } from '#lib/store/entity.ts'
import { type Key, lcrKeys, locationGroupKeys, locationKeys } from '#lib/store/keys.ts'

// Shape

/** What LCRs, locations and location groups are to this service: a name and an owner. */
export const ownedObjectColumns = { id, name: requiredText, owner_id: id }

export type OwnedObject = Imported<Row<typeof ownedObjectColumns>>

export const readOwnedObject = importedReader(ownedObjectColumns)

// Access patterns

const defineOwnedObject = (key: (id: number) => Key) => ({
  ...defineEntity({ key, read: readOwnedObject }),
  replace: replacer((object: OwnedObject) => key(object.id)),
})

export const lcrs = defineOwnedObject(lcrKeys.item)
export const locations = defineOwnedObject(locationKeys.item)
export const locationGroups = defineOwnedObject(locationGroupKeys.item)
