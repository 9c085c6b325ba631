import {
  findServices,
  type ImportedService,
  replaceService,
  type Service,
  serviceColumns,
} from '#lib/store/entities/service.ts'
import type { DatasetFile } from './file.ts'
import { accountsById, ownerProblem } from './references.ts'
import { rowByRow } from './row-by-row.ts'

export const services: DatasetFile<Service> = {
  columns: serviceColumns,
  claims: ({ id }) => [`id ${id}`],
  check: async (entries, world) => {
    const owners = await accountsById(
      world,
      entries.map(({ row }) => row.owner_id),
    )
    return entries.map(({ row }) => {
      const problem = ownerProblem(owners.get(row.owner_id), row.owner_id)
      if (problem === undefined) world.accepted.services.add(row.id)
      return problem
    })
  },
  write: rowByRow<Service, ImportedService | undefined>({
    lane: ({ id }) => id,
    find: (rows, { store }) =>
      findServices(
        store,
        rows.map(({ id }) => id),
      ),
    write: async ({ row, digest }, before, { store }) => {
      if (before?.digest === digest) return 'unchanged'
      await replaceService(store, { ...row, digest })
      return 'written'
    },
    obstacle: async () => undefined,
  }),
}
