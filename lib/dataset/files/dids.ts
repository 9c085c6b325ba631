import { type ImportWorld, isNotBrought } from '#lib/dataset/format/import-world.ts'
import { goneMeanwhile, referenceProblems } from '#lib/dataset/format/references.ts'
import { byId, itself, replacing, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { digitsOf } from '#lib/domain/rates/rating.ts'
import { type Did, didColumns, findDids, findIdsOfDids, replaceDid } from '#lib/store/devices/did.ts'
import type { Store } from '#lib/store/store.ts'

export const dids: RowFormat<Did> = {
  columns: didColumns,
  revision: 2,
  optionalReferences: { user_id: 'account', device_id: 'device' },
  claims: ({ id, did }) => [`id ${id}`, `did ${digitsOf(did) || did}`],
  check: async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const problems = await referenceProblems(world, rows, {
      owner_id: 'owner',
      user_id: 'account',
      device_id: 'device',
    })
    const taken = await takenNumbers(rows, world)
    return rows.map(({ id }, position) => {
      const problem = problems[position] ?? taken[position]
      if (problem === undefined) world.accepted.dids.add(id)
      return problem
    })
  },
  ...rowByRow<Did, Did | undefined>({
    lane: ({ device_id, id }) => device_id ?? id,
    find: byId(findDids),
    columnsIn: itself,
    write: replacing(({ store }, did, before) => replaceDid(store, before, did)),
    obstacle: async (row, world) => {
      const [holder] = await holdersOf(world.store, [row])
      return takenBy(holder, (id) => id !== row.id) ?? goneMeanwhile({ device_id: 'device' })(row, world)
    },
  }),
}

async function takenNumbers(rows: readonly Did[], { store, accepted }: ImportWorld) {
  const isAnother = isNotBrought(rows, accepted.dids)
  return (await holdersOf(store, rows)).map((holder) => takenBy(holder, isAnother))
}

const holdersOf = (store: Store, rows: readonly Did[]) =>
  findIdsOfDids(
    store,
    rows.map(({ did }) => digitsOf(did)),
  )

const takenBy = (holder: number | undefined, isAnother: (id: number) => boolean): string | undefined =>
  holder !== undefined && isAnother(holder) ? `did is the number of DID ${holder}` : undefined
