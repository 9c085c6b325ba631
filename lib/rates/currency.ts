import { type Money, ONE } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { flag, labelled, money, type Row, textLike } from '#lib/table/columns.ts'
import { defineEntity, type Stored } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { currencyKey, type Key, keyForm } from '#lib/table/keys.ts'
import { is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly unknown_currency: { readonly currency: string }
  }
}

const currencyColumns = {
  /** Exact, case included. */
  name: textLike('letters and digits, at most 16', /^[A-Za-z0-9]{1,16}$/),
  /** Units of this currency for one unit of the default one (wire.md 4.4). */
  exchange_rate: labelled(
    money(),
    'Exchange rate',
    'units of it for one unit of the currency of the installation',
  ),
  auto_update: labelled(flag(false), 'Updated by another system', 'the API then refuses to change the rate'),
}

export type Currency = Row<typeof currencyColumns>

const inCurrencies = keyForm('CURRENCIES', '<name>')

export const currencies = defineEntity({
  name: 'currency',
  columns: currencyColumns,
  key: currencyKey,
  list: inCurrencies,
  listedSince: 3,
})

export const keyOfCurrency = (name: string): Key => currencyKey(name.trim())

export const toCurrency = (item: Item | undefined): Stored<Currency> | undefined =>
  item && currencies.read(item)

export const { findMany: findCurrencies } = currencies

/** Amounts without a currency are in the default currency, which therefore must exist. */
export async function defaultCurrencyObstacle(store: Store, name: string): Promise<Refusal | undefined> {
  const [currency] = await findCurrencies(store, [name])
  return currency ? undefined : new Refusal('unknown_currency', { currency: name }, 'value')
}

/**
 * The exchange rates of the named currencies, always above 0. The default currency always has 1,
 * and so has the blank name, which means it. Unknown currencies are missing from the map. One round trip for
 * up to 100 names, none for the default currency.
 */
export async function exchangeRatesOf(
  store: Store,
  names: Iterable<string>,
  defaultCurrency: string,
): Promise<ReadonlyMap<string, Money>> {
  const others = new Set(names)
  for (const own of ['', defaultCurrency]) others.delete(own)
  const currencies = await findCurrencies(store, [...others])
  return new Map([
    ...currencies.flatMap((currency) => (currency ? [[currency.name, currency.exchange_rate] as const] : [])),
    ['', ONE],
    [defaultCurrency, ONE],
  ])
}

/** Returns false if the currency does not exist or has automatic updates. */
export const setExchangeRate = (store: Store, name: string, exchange_rate: Money): Promise<boolean> =>
  hasWritten(store.update(currencyKey(name), { set: { exchange_rate } }, { auto_update: is(false) }))
