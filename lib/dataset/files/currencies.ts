import { itself, replacing, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { isPositive } from '#lib/domain/money.ts'
import { type Currency, currencyColumns, findCurrencies, replaceCurrency } from '#lib/store/rates/currency.ts'

/** A rate that the API has set since stays when the same row is imported again; a changed row replaces it. */
export const currencies: RowFormat<Currency> = {
  columns: currencyColumns,
  keyColumns: ['name'],
  claims: ({ name }) => [`name ${name}`],
  check: async (entries, { accepted }) =>
    entries.map(({ row }) => {
      if (!isPositive(row.exchange_rate)) return 'exchange_rate must be greater than 0'
      accepted.currencies.add(row.name)
      return undefined
    }),
  ...rowByRow<Currency, Currency | undefined>({
    lane: () => 0,
    find: (rows, { store }) =>
      findCurrencies(
        store,
        rows.map(({ name }) => name),
      ),
    columnsIn: itself,
    write: replacing(({ store }, currency) => replaceCurrency(store, currency)),
  }),
}
