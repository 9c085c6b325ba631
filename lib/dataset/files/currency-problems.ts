import type { ProblemOf } from '#lib/base/row-refused.ts'
import { type ImportWorld, isBrought } from '#lib/dataset/format/import-world.ts'
import type { RowEntry } from '#lib/dataset/format/row-format.ts'
import { findCurrencies } from '#lib/rates/currency.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { currencyKey } from '#lib/table/keys.ts'

/** Finds currencies without an exchange rate, which have no sum. A blank name is the default currency. */
export async function currencyProblems(
  world: ImportWorld,
  names: readonly (string | undefined)[],
): Promise<ProblemOf<string | undefined>> {
  const given = names.map((name = '') => name)
  const unknown = await unknownCurrencies(world, given)
  if (unknown.size > 0) unknown.delete(await defaultCurrency(world))
  return (name = '') => (unknown.has(name) ? `currency: ${name} has no exchange rate` : undefined)
}

/** As `currencyProblems`, for the rows of a file. A kept currency was checked when it was stored. */
export async function currencyProblemsOf<R extends { readonly currency: string }>(
  entries: readonly RowEntry<R>[],
  world: ImportWorld,
): Promise<ProblemOf<RowEntry<R>>> {
  const changed = ({ row, kept }: RowEntry<R>) => (kept.includes('currency') ? undefined : row.currency)
  const problemOf = await currencyProblems(world, entries.map(changed))
  return (entry) => problemOf(changed(entry))
}

/** Currencies that neither dataset nor table has. A blank name is the default currency, and known. */
export async function unknownCurrencies(world: ImportWorld, names: readonly string[]): Promise<Set<string>> {
  const unknown = new Set(names.filter((name) => name !== '' && !isBrought(world, currencyKey, name)))
  if (unknown.size === 0) return unknown
  for (const currency of await findCurrencies(world.store, [...unknown])) unknown.delete(currency?.name ?? '')
  return unknown
}

/** The default currency that the dataset sets, otherwise that of the table. */
const defaultCurrency = async ({ brought, store }: ImportWorld): Promise<string> =>
  brought.settings.get('Default_Currency') ?? (await settingsOf(store)).Default_Currency
