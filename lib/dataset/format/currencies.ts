import type { Reasons } from '#lib/domain/row-refused.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { currencyKey } from '#lib/store/keys.ts'
import { findCurrencies } from '#lib/store/rates/currency.ts'
import { acceptedIds, type ImportWorld } from './import-world.ts'
import type { RowEntry } from './row-format.ts'

/**
 * Which of these currencies neither this dataset nor the table has; blank stands for the default one, which needs no
 * rate.
 */
export async function unknownCurrencies(world: ImportWorld, names: readonly string[]): Promise<Set<string>> {
  const asked = new Set(
    names.filter((name) => name !== '' && !acceptedIds(world.accepted, currencyKey).has(name)),
  )
  if (asked.size === 0) return asked
  for (const currency of await findCurrencies(world.store, [...asked])) asked.delete(currency?.name ?? '')
  return asked
}

/** The default currency as this dataset sets it, else as the table has it. */
async function defaultCurrency({ accepted, store }: ImportWorld): Promise<string> {
  const { value } = accepted.settings.get('Default_Currency') ?? {}
  return value ?? readSettings(await findSettings(store)).Default_Currency
}

/** Why rows in these currencies are refused: an amount that cannot be converted would be in no sum. */
export async function currencyProblems(
  world: ImportWorld,
  names: readonly (string | undefined)[],
): Promise<Reasons> {
  const unknown = await unknownCurrencies(
    world,
    names.map((name = '') => name),
  )
  if (unknown.size > 0) unknown.delete(await defaultCurrency(world))
  return names.map((name = '') => (unknown.has(name) ? `currency: ${name} has no exchange rate` : undefined))
}

/** The same for rows of a file. What is kept was accepted once. */
export const currencyProblemsOf = (
  entries: readonly RowEntry<{ readonly currency: string }>[],
  world: ImportWorld,
): Promise<Reasons> =>
  currencyProblems(
    world,
    entries.map(({ row, kept }) => (kept.includes('currency') ? undefined : row.currency)),
  )
