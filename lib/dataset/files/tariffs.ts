import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { findTariffs, replaceTariff, type TariffRow, tariffColumns } from '#lib/store/rates/tariff.ts'
import { ownedRows } from './owned-objects.ts'

export const tariffs = ownedRows({
  columns: tariffColumns,
  accepted: ({ tariffs }) => tariffs,
  inCurrencies: true,
  find: findTariffs,
  replace: async (world, row: TariffRow & { readonly digest: string }, before) => {
    const currency = row.currency || (await defaultCurrency(world))
    await replaceTariff(world.store, before, { ...row, currency })
  },
})

const defaultCurrency = async ({ store }: ImportWorld): Promise<string> =>
  readSettings(await findSettings(store)).Default_Currency
