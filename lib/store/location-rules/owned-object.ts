import { requiresOwner } from '#lib/store/accounts/account.ts'
import { id, type Row, requiredText } from '#lib/store/columns.ts'
import { defineEntity } from '#lib/store/entity.ts'
import { type KeyForm, lcrKey, locationGroupKey, locationKey } from '#lib/store/keys.ts'

/** What LCRs, locations and location groups are to this service: a name and an owner. */
export const ownedObjectColumns = { id, name: requiredText, owner_id: id }

export type OwnedObject = Row<typeof ownedObjectColumns>

// Declarations

const defineOwnedObject = (name: string, key: KeyForm) =>
  defineEntity({ name, columns: ownedObjectColumns, key, requires: [requiresOwner] })

export const lcrs = defineOwnedObject('LCR', lcrKey)
export const locations = defineOwnedObject('location', locationKey)
export const locationGroups = defineOwnedObject('location group', locationGroupKey)
