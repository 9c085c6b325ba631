import type { ImportOptions } from '#lib/dataset/format/dataset-file.ts'
import type { Rate } from '#lib/rates/rating.ts'
import { findTariff, pagesOfRates } from '#lib/rates/tariff.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { importOne } from '#test/datasets/import-rows.ts'
import { rowsOfPages } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { exampleTariffs, tariffCurrencies } from '#test/examples/tariffs.ts'
import { aWorld, type World } from '#test/world.ts'

export const aWorldWithTariffs = () =>
  aWorld({ users: people, currencies: tariffCurrencies, tariffs: exampleTariffs })

/** Imports rates, which may remove any number of rates, and returns the report. */
export const importRates = (world: World, rows: readonly Cells[], options: ImportOptions = {}) =>
  importOne(world, 'rates', rows, { allowRemovals: true, ...options })

/** The rates of a tariff that are in force or will be. */
export async function ratesOfTariff(world: World, tariffId = 1): Promise<Rate[]> {
  const tariff = await findTariff(world.store, tariffId)
  return rowsOfPages(pagesOfRates(world.store, { id: tariffId }, tariff?.active))
}

/** Prefix and price of each rate of a tariff. */
export const pricesOf = async (world: World, tariffId?: number): Promise<string[]> =>
  (await ratesOfTariff(world, tariffId)).map(({ prefix, tariff_rate }) => `${prefix} ${tariff_rate}`)
