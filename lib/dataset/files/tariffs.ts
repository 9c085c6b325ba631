import { currencyProblemsOf } from '#lib/dataset/format/currencies.ts'
import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { changesOf } from '#lib/store/entity-changes.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { tariffs as entity, type TariffRow } from '#lib/store/rates/tariff.ts'

/** A tariff without a currency gets the default one. */
export const tariffs: RowFormat<TariffRow> = entityRows(entity, {
  check: currencyProblemsOf,
  replace: async (row, before, { store }) => {
    const currency = row.currency || readSettings(await findSettings(store)).Default_Currency
    await store.transact(changesOf(entity, before, { ...row, currency }))
  },
})
