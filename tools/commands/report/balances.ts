import { accountsOfOwners, listOwnerIds } from '#lib/accounts/account.ts'
import { accounts } from '#lib/accounts/whole-account.ts'
import { type Balance, totalOf, UNLIMITED_CREDIT } from '#lib/base/balance.ts'
import { add, fixed, isPositive, type Money, niceDigits, subtract } from '#lib/base/money.ts'
import { type AccountBalance, balancesOfAccounts } from '#lib/billing/balance.ts'
import type { Report } from '#lib/calls/report/report.ts'
import type { Store } from '#lib/table/store.ts'
import { rowsOfThings } from '../../command-line/listing.ts'
import { settingsWithBalances } from '../balance/balance.ts'

export interface BalancesOptions {
  /** The ids of the only accounts; `undefined` for all. */
  readonly accounts: ReadonlySet<number> | undefined
  readonly below: Money | undefined
}

/** The balance of each account, in the default currency. Throws CommandError while no balances are kept. */
export async function balancesReport(store: Store, options: BalancesOptions): Promise<Report> {
  const settings = await settingsWithBalances(store)
  const print = (amount: Money) => fixed(amount, niceDigits(settings))
  const creditText = (left: Money | undefined) => (left === undefined ? 'unlimited' : print(left))
  return {
    currency: settings.Default_Currency,
    ...rowsOfThings(balancesOf(store, options), {
      customer: ['text', ({ account }) => account.username],
      opening: ['number', ({ balance }) => print(balance.opening)],
      paid: ['number', ({ balance }) => print(balance.paid)],
      charged: ['number', ({ balance }) => print(balance.charged)],
      fees: ['number', ({ balance }) => print(balance.fees)],
      adjusted: ['number', ({ balance }) => print(balance.adjusted)],
      balance: ['number', ({ balance }) => print(totalOf(balance))],
      credit_left: ['text', ({ balance, account }) => creditText(creditLeft(balance, account.credit))],
    }),
  }
}

async function* balancesOf(store: Store, { accounts: wanted, below }: BalancesOptions) {
  for await (const batch of accountsOfOwners(store, await listOwnerIds(store), accounts.read)) {
    const listed = batch.filter(({ id }) => wanted?.has(id) ?? true)
    const balances = await balancesOfAccounts(store, listed)
    const found = listed.flatMap((account, index) => {
      const balance = balances[index]
      return balance ? [{ account, balance }] : []
    })
    const isBelow = ({ balance }: Pick<AccountBalance, 'balance'>) =>
      below === undefined || isPositive(subtract(below, totalOf(balance)))
    yield* found.filter(isBelow)
  }
}

/** The money left to the account: its balance and credit; `undefined` for unlimited credit. */
export const creditLeft = (balance: Balance, credit: Money): Money | undefined =>
  credit === UNLIMITED_CREDIT ? undefined : add(totalOf(balance), credit)
