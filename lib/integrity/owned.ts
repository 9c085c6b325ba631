import { id, rowReader } from '#lib/store/columns.ts'
import { accountKeys, keyIn } from '#lib/store/keys.ts'
import { present, type Rule } from './statement.ts'

const readOwned = rowReader({ owner_id: id })

/** A thing that only has an owner, such as a location or a service: the owner is there. */
export const ownedRule: Rule = (item) => {
  const { owner_id } = readOwned(item)
  return [
    present(accountKeys.item(owner_id), `${keyIn(item).PK} has the owner ${owner_id}, who is not there.`),
  ]
}
