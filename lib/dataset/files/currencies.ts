import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { isPositive } from '#lib/domain/money.ts'
import { type Currency, currencies as entity } from '#lib/store/rates/currency.ts'

/** A rate that the API has set since stays when the same row is imported again; a changed row replaces it. */
export const currencies: RowFormat<Currency> = entityRows(entity, {
  problem: ({ exchange_rate }) =>
    isPositive(exchange_rate) ? undefined : 'exchange_rate must be greater than 0',
  lane: () => 0,
})
