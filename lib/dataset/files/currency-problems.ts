import type { ColumnProblem, ProblemOf } from '#lib/base/row-refused.ts'
import { type ImportContext, isNewRow } from '#lib/dataset/format/import-context.ts'
import type { RowEntry } from '#lib/dataset/format/row-format.ts'
import { findCurrencies } from '#lib/rates/currency.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { currencyKey } from '#lib/table/keys.ts'

/** Finds currencies without an exchange rate, which have no sum. A blank name is the default currency. */
export async function currencyProblems(
  context: ImportContext,
  names: readonly (string | undefined)[],
): Promise<ProblemOf<string | undefined>> {
  const given = names.map((name = '') => name)
  const unknown = await unknownCurrencies(context, given)
  if (unknown.size > 0) unknown.delete(await defaultCurrency(context))
  return (name = '') => (unknown.has(name) ? noExchangeRate(name) : undefined)
}

const noExchangeRate = (name: string): ColumnProblem => ({
  code: 'rule',
  field: 'currency',
  values: { says: `${name} has no exchange rate`, colon: true },
})

/** As `currencyProblems`, for the rows of a file. A kept currency was checked when it was stored. */
export async function currencyProblemsOf<R extends { readonly currency: string }>(
  entries: readonly RowEntry<R>[],
  context: ImportContext,
): Promise<ProblemOf<RowEntry<R>>> {
  const changed = ({ row, kept }: RowEntry<R>) => (kept.includes('currency') ? undefined : row.currency)
  const problemOf = await currencyProblems(context, entries.map(changed))
  return (entry) => problemOf(changed(entry))
}

/** Currencies that neither dataset nor table has. A blank name is the default currency, and known. */
export async function unknownCurrencies(
  context: ImportContext,
  names: readonly string[],
): Promise<Set<string>> {
  const unknown = new Set(names.filter((name) => name !== '' && !isNewRow(context, currencyKey, name)))
  if (unknown.size === 0) return unknown
  for (const currency of await findCurrencies(context.store, [...unknown]))
    unknown.delete(currency?.name ?? '')
  return unknown
}

/** The default currency that the dataset sets, otherwise that of the table. */
const defaultCurrency = async ({ newRows, store }: ImportContext): Promise<string> =>
  newRows.settings.get('Default_Currency') ?? (await settingsOf(store)).Default_Currency
