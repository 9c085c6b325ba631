import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { accountsById, devicesById, ownerProblem } from '#lib/dataset/format/references.ts'
import { rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { findDevice } from '#lib/store/devices/device.ts'
import { type Did, didColumns, findDids, replaceDid } from '#lib/store/devices/did.ts'

export const dids: RowFormat<Did> = {
  columns: didColumns,
  claims: ({ id, did }) => [`id ${id}`, `did ${did}`],
  check: async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const accounts = await accountsById(
      world,
      rows.flatMap(({ owner_id, user_id }) => [owner_id, user_id]),
    )
    const devices = await devicesById(
      world,
      rows.map(({ device_id }) => device_id),
    )
    return rows.map((row) => {
      const problem =
        ownerProblem(accounts.get(row.owner_id), row.owner_id) ??
        missing('user_id: there is no account', row.user_id, accounts) ??
        missing(NO_DEVICE, row.device_id, devices)
      if (problem === undefined) world.accepted.dids.add(row.id)
      return problem
    })
  },
  write: rowByRow<Did, Did | undefined>({
    lane: ({ device_id, id }) => device_id ?? id,
    find: (rows, { store }) =>
      findDids(
        store,
        rows.map(({ id }) => id),
      ),
    write: async ({ row, digest }, before, { store }) => {
      if (before?.digest === digest) return 'unchanged'
      await replaceDid(store, before, { ...row, digest })
      return 'written'
    },
    obstacle: async ({ device_id }, { store }: ImportWorld) =>
      device_id === undefined || (await findDevice(store, device_id))
        ? undefined
        : `${NO_DEVICE} ${device_id}`,
  }),
}

const NO_DEVICE = 'device_id: there is no device'

const missing = (complaint: string, id: number | undefined, known: ReadonlyMap<number, unknown>) =>
  id === undefined || known.has(id) ? undefined : `${complaint} ${id}`
