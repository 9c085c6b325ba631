import { goneMeanwhile, referenceProblems } from '#lib/dataset/format/references.ts'
import { byId, itself, replacing, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { type Did, didColumns, findDids, replaceDid } from '#lib/store/devices/did.ts'

export const dids: RowFormat<Did> = {
  columns: didColumns,
  optionalReferences: { user_id: 'account', device_id: 'device' },
  claims: ({ id, did }) => [`id ${id}`, `did ${did}`],
  check: async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const problems = await referenceProblems(world, rows, {
      owner_id: 'owner',
      user_id: 'account',
      device_id: 'device',
    })
    for (const [position, { id }] of rows.entries()) {
      if (problems[position] === undefined) world.accepted.dids.add(id)
    }
    return problems
  },
  ...rowByRow<Did, Did | undefined>({
    lane: ({ device_id, id }) => device_id ?? id,
    find: byId(findDids),
    columnsIn: itself,
    write: replacing(({ store }, did, before) => replaceDid(store, before, did)),
    obstacle: goneMeanwhile({ device_id: 'device' }),
  }),
}
