import { type Account, listOwnerIds } from '#lib/accounts/account.ts'
import { valueAt } from '#lib/accounts/account-history.ts'
import { type Actor, companyOrPerson, displayName } from '#lib/base/account-types.ts'
import { type Balance, totalOf } from '#lib/base/balance.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { paired } from '#lib/base/collections.ts'
import { fixed, type Money, niceDigits } from '#lib/base/money.ts'
import { actsFor, seesEveryone } from '#lib/base/scope.ts'
import { findBalances } from '#lib/billing/balance.ts'
import { findTariffs } from '#lib/rates/tariff.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import type { Store } from '#lib/table/store.ts'
import type { CustomerRow } from './answers/customers.ts'
import type { ConsoleRequest } from './resource.ts'

/** Makes rows for the list of customers. Reads each tariff once, and balances only if they are kept. */
export async function customerRowMaker(
  request: Pick<ConsoleRequest, 'store' | 'link' | 'settings' | 'clock'>,
  found: readonly Account[],
): Promise<(account: Account) => CustomerRow> {
  const { store, link, clock } = request
  const now = secondsOf(clock())
  const tariffOf = (account: Account) => valueAt(account, 'tariff_id', now)
  const [ownerLink, tariffs, balances] = await Promise.all([
    link(found.map(({ owner_id }) => owner_id)),
    batchedLookup((ids) => findTariffs(store, ids))(found.map(tariffOf)),
    balancesShown(request, found),
  ])
  return (account) => {
    const { id, username, usertype, owner_id, device_count, blocked } = account
    const tariff_id = tariffOf(account)
    const tariff = tariff_id === undefined ? undefined : tariffs.get(tariff_id)
    return {
      id,
      username,
      name: companyOrPerson(account),
      person: account.company_name === '' ? null : displayName(account),
      type: usertype,
      currency: valueAt(account, 'currency', now),
      ...(balances.get(account) ?? { balance: null, balanceParts: null }),
      devices: device_count,
      blocked,
      owner: owner_id === id ? null : ownerLink(owner_id),
      tariff: tariff_id === undefined ? null : { id: tariff_id, name: tariff?.name ?? `tariff ${tariff_id}` },
    }
  }
}

/** The page is read eventually consistent, for half the units. */
async function balancesShown(
  { store, settings }: Pick<ConsoleRequest, 'store' | 'settings'>,
  found: readonly Account[],
): Promise<ReadonlyMap<Account, Pick<CustomerRow, 'balance' | 'balanceParts'> | undefined>> {
  if (settings.Balance_From === '') return new Map()
  const ids = found.map(({ id }) => id)
  const balances = await findBalances(store, ids, 'eventual')
  return paired(
    found,
    balances.map((one) => one && shownBalance(one.balance, niceDigits(settings))),
  )
}

function shownBalance(balance: Balance, decimals: number): Pick<CustomerRow, 'balance' | 'balanceParts'> {
  const { opening, paid, adjusted, charged, fees } = balance
  const shown = (amount: Money) => fixed(amount, decimals)
  return {
    balance: shown(totalOf(balance)),
    balanceParts: {
      ...{ opening: shown(opening), paid: shown(paid), adjusted: shown(adjusted) },
      ...{ charged: shown(charged), fees: shown(fees) },
    },
  }
}

/** The owners whose accounts an account manages, ascending: the list of customers goes one by one. */
export async function ownersSeenBy(store: Store, caller: Actor): Promise<number[]> {
  if (seesEveryone(caller)) return listOwnerIds(store)
  const owner = actsFor(caller)
  return owner === undefined ? [] : [owner]
}
