import {
  type finder,
  type OwnedObject,
  ownedObjectColumns,
  type replacer,
} from '#lib/store/entities/owned-object.ts'
import type { Accepted, DatasetFile } from './file.ts'
import { accountsById, ownerProblem } from './references.ts'
import { rowByRow } from './row-by-row.ts'

interface ObjectStore {
  readonly accepted: (accepted: Accepted) => Set<number>
  readonly find: ReturnType<typeof finder>
  readonly replace: ReturnType<typeof replacer>
}

/** A file of objects that are a name and an owner. */
export const ownedObjects = ({ accepted, find, replace }: ObjectStore): DatasetFile<OwnedObject> => ({
  columns: ownedObjectColumns,
  claims: ({ id }) => [`id ${id}`],
  check: async (entries, world) => {
    const owners = await accountsById(
      world,
      entries.map(({ row }) => row.owner_id),
    )
    return entries.map(({ row }) => {
      const problem = ownerProblem(owners.get(row.owner_id), row.owner_id)
      if (problem === undefined) accepted(world.accepted).add(row.id)
      return problem
    })
  },
  write: rowByRow<OwnedObject, OwnedObject | undefined>({
    lane: ({ id }) => id,
    find: (rows, { store }) =>
      find(
        store,
        rows.map(({ id }) => id),
      ),
    write: async ({ row, digest }, before, { store }) => {
      if (before?.digest === digest) return 'unchanged'
      await replace(store, { ...row, digest })
      return 'written'
    },
    obstacle: async () => undefined,
  }),
})
