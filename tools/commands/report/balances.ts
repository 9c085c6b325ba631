import { accountsOfOwners, listOwnerIds } from '#lib/accounts/account.ts'
import { accounts } from '#lib/accounts/whole-account.ts'
import { type Balance, totalOf, UNLIMITED_CREDIT } from '#lib/base/balance.ts'
import { add, fixed, isPositive, type Money, niceDigits, subtract } from '#lib/base/money.ts'
import { type AccountBalance, balancesOfAccounts } from '#lib/billing/balance.ts'
import type { Report, ReportRow } from '#lib/calls/report/report.ts'
import type { Store } from '#lib/table/store.ts'
import { settingsWithBalances } from '../balance/balance-tool.ts'

export interface BalancesOptions {
  /** The ids of the only accounts; `undefined` for all. */
  readonly accounts: ReadonlySet<number> | undefined
  readonly below: Money | undefined
}

/** The balance of each account, in the default currency. Throws CommandError while no balances are kept. */
export async function balancesReport(store: Store, options: BalancesOptions): Promise<Report> {
  const settings = await settingsWithBalances(store)
  return {
    columns: {
      customer: 'text',
      opening: 'number',
      paid: 'number',
      charged: 'number',
      fees: 'number',
      adjusted: 'number',
      balance: 'number',
      credit_left: 'text',
    },
    currency: settings.Default_Currency,
    rows: balanceRows(store, options, niceDigits(settings)),
  }
}

async function* balanceRows(
  store: Store,
  { accounts: wanted, below }: BalancesOptions,
  digits: number,
): AsyncGenerator<ReportRow> {
  for await (const batch of accountsOfOwners(store, await listOwnerIds(store), accounts.read)) {
    const listed = batch.filter(({ id }) => wanted?.has(id) ?? true)
    const balances = await balancesOfAccounts(store, listed)
    const found = listed.flatMap((account, index) => {
      const balance = balances[index]
      return balance ? [{ account, balance }] : []
    })
    const isBelow = ({ balance }: AccountBalance) =>
      below === undefined || isPositive(subtract(below, totalOf(balance)))
    yield* found.filter(isBelow).map((one) => toRow(one, digits))
  }
}

function toRow({ account, balance }: AccountBalance, digits: number): ReportRow {
  const left = creditLeft(balance, account.credit)
  return {
    customer: account.username,
    opening: fixed(balance.opening, digits),
    paid: fixed(balance.paid, digits),
    charged: fixed(balance.charged, digits),
    fees: fixed(balance.fees, digits),
    adjusted: fixed(balance.adjusted, digits),
    balance: fixed(totalOf(balance), digits),
    credit_left: left === undefined ? 'unlimited' : fixed(left, digits),
  }
}

/** What the account may still spend: its balance and credit; `undefined` for unlimited credit. */
export const creditLeft = (balance: Balance, credit: Money): Money | undefined =>
  credit === UNLIMITED_CREDIT ? undefined : add(totalOf(balance), credit)
