import { isPositive } from '#lib/base/money.ts'
import { brokenRule } from '#lib/base/row-refused.ts'
import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { type Currency, currencies } from '#lib/rates/currency.ts'
import { type TariffRow, tariffs } from '#lib/rates/tariff.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { changesOf } from '#lib/table/entity-changes.ts'
import { currencyProblemsOf } from './currency-problems.ts'

/** A rate that the API has set survives an import of the same row. A changed row replaces it. */
export const currenciesFile: RowFormat<Currency> = entityRows(currencies, {
  problem: ({ exchange_rate }) =>
    isPositive(exchange_rate) ? undefined : brokenRule('exchange_rate', 'must be greater than 0'),
  lane: () => 0,
})

/** A tariff without a currency has the default currency. */
export const tariffsFile: RowFormat<TariffRow> = entityRows(tariffs, {
  names: { column: 'name' },
  check: currencyProblemsOf,
  replacing: async (row, before, { store }) => {
    const currency = row.currency || (await settingsOf(store)).Default_Currency
    return changesOf(tariffs, before, { ...row, currency })
  },
})
