import { readSettings } from '#lib/domain/settings.ts'
import { findSettings } from '#lib/store/entities/settings.ts'
import {
  findTariffs,
  replaceTariff,
  type Tariff,
  type TariffRow,
  tariffColumns,
} from '#lib/store/entities/tariff.ts'
import type { DatasetFile, ImportWorld } from './file.ts'
import { accountsById, ownerProblem } from './references.ts'
import { rowByRow } from './row-by-row.ts'

export const tariffs: DatasetFile<TariffRow> = {
  columns: tariffColumns,
  claims: ({ id }) => [`id ${id}`],
  check: async (entries, world) => {
    const owners = await accountsById(
      world,
      entries.map(({ row }) => row.owner_id),
    )
    return entries.map(({ row }) => {
      const problem = ownerProblem(owners.get(row.owner_id), row.owner_id)
      if (problem === undefined) world.accepted.tariffs.add(row.id)
      return problem
    })
  },
  write: rowByRow<TariffRow, Tariff | undefined>({
    lane: ({ id }) => id,
    find: (rows, { store }) =>
      findTariffs(
        store,
        rows.map(({ id }) => id),
      ),
    write: async ({ row, digest }, before, world) => {
      if (before?.digest === digest) return 'unchanged'
      const currency = row.currency || (await defaultCurrency(world))
      await replaceTariff(world.store, before, { ...row, currency, digest })
      return 'written'
    },
    obstacle: async () => undefined,
  }),
}

const defaultCurrency = async ({ store }: ImportWorld): Promise<string> =>
  readSettings(await findSettings(store)).Default_Currency
