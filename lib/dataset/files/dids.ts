import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { digitsOf } from '#lib/domain/rates/rating.ts'
import { type Did, dids as entity } from '#lib/store/devices/did.ts'

export const dids: RowFormat<Did> = entityRows(entity, {
  revision: 2,
  claims: ({ id, did }) => [`id ${id}`, `did ${digitsOf(did) || did}`],
  held: (_, holder) => `did is the number of DID ${holder}`,
  lane: ({ device_id, id }) => device_id ?? id,
})
