import {
  type Account,
  type Caller,
  findAccount,
  findAccounts,
  findCallers,
  listAccounts,
} from '#lib/accounts/account.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import type { StoredInvoice } from '#lib/billing/invoice.ts'
import { findNamedInvoice } from '#lib/billing/payment-of-invoice.ts'
import { listProviders, type Provider } from '#lib/rates/provider.ts'
import { findTariff, listTariffs, type Tariff } from '#lib/rates/tariff.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import type { Store } from '#lib/table/store.ts'
import { CommandError } from '../machine/terminal.ts'

/** Finds the account with this username, otherwise with this id. Throws CommandError for an unknown one. */
export async function findAccountNamed(store: Store, word: string): Promise<Caller> {
  const [named] = await findCallers(store, [word])
  if (named) return named
  const account = isId(word) ? await findAccount(store, Number(word)) : undefined
  const [caller] = account ? await findCallers(store, [account.username]) : []
  if (caller) return caller
  const usernames = await Array.fromAsync(listAccounts(store), ({ username }) => username)
  throw unknownName('account', word, usernames, 'npx tollgate account list shows all of them')
}

/** The stored account with this username, otherwise with this id. Throws CommandError for an unknown one. */
export async function findStoredAccountNamed(store: Store, word: string): Promise<Account> {
  const { id, username } = await findAccountNamed(store, word)
  const account = await findAccount(store, id)
  if (!account) throw accountGone(username)
  return account
}

/** Finds the invoice with this number, of a customer or a seller if they are named. Throws Refusal. */
export async function findInvoiceNamed(
  store: Store,
  invoice: string,
  named: { readonly customer?: string | undefined; readonly seller?: string | undefined } = {},
): Promise<StoredInvoice> {
  const customer = named.customer === undefined ? undefined : await findAccountNamed(store, named.customer)
  const seller = named.seller === undefined ? undefined : await findAccountNamed(store, named.seller)
  return findNamedInvoice({ store, namesAreTyped: true }, { invoice, customer, seller })
}

/** The error about an account that was removed after its name was read. */
export const accountGone = (username: string): CommandError =>
  new CommandError(`The account ${username} is gone`)

/** Finds the tariff with this id, otherwise with this name. Throws CommandError for an unknown one. */
export async function findTariffNamed(store: Store, word: string): Promise<Tariff> {
  const numbered = isId(word) ? await findTariff(store, Number(word)) : undefined
  if (numbered) return numbered
  const tariffs = await listTariffs(store)
  const [named, ...others] = tariffs.filter(({ name }) => inLowerCase(name) === inLowerCase(word))
  if (others.length > 0)
    throw new CommandError(`${others.length + 1} tariffs have the name ${word}: use the id of one of them`)
  const names = tariffs.map(({ name }) => name)
  if (!named) throw unknownName('tariff', word, names, 'npx tollgate tariff list shows all of them')
  return named
}

/** The rows of pages with the names of their customers, the usernames unless said otherwise. */
export async function* withCustomers<T extends { readonly user_id: number }>(
  store: Store,
  pages: Iterable<readonly T[]> | AsyncIterable<readonly T[]>,
  nameOf = ({ username }: Account) => username,
) {
  const accountsOf = batchedLookup((ids) => findAccounts(store, ids))
  for await (const page of pages) {
    const known = await accountsOf(page.map(({ user_id }) => user_id))
    for (const one of page) {
      const account = known.get(one.user_id)
      yield { ...one, customer: account ? nameOf(account) : `account ${one.user_id}` }
    }
  }
}

const MAX_LISTED = 20

/** Finds the providers with these ids or names. Throws CommandError for an unknown one. */
export async function findProvidersNamed(store: Store, words: readonly string[]): Promise<Provider[]> {
  const providers = await listProviders(store)
  const names = providers.map(({ name }) => name)
  return words.map((word) => {
    const found = providers.find(
      ({ id, name }) => String(id) === word || inLowerCase(name) === inLowerCase(word),
    )
    if (found) return found
    throw unknownName(
      'provider',
      word,
      names,
      `use ${names.slice(0, MAX_LISTED).join(', ') || 'providers.csv'}`,
    )
  })
}

const isId = (word: string): boolean => /^\d{1,15}$/.test(word)

const inLowerCase = (word: string): string => word.trim().toLowerCase()

/** The error about a name that nothing has, with the nearest names, otherwise with `remedy`. */
export function unknownName(
  kind: string,
  word: string,
  names: Iterable<string>,
  remedy: string,
): CommandError {
  const nearest = nearestNames(word, names)
  const suggestion = nearest.length > 0 ? `did you mean ${nearest.join(' or ')}?` : remedy
  return new CommandError(`There is no ${kind} ${word}: ${suggestion}`)
}
