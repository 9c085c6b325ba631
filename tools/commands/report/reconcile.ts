import { accountsOfOwners, listOwnerIds } from '#lib/accounts/account.ts'
import { accounts } from '#lib/accounts/whole-account.ts'
import { fixed, type Money, ZERO } from '#lib/base/money.ts'
import { BOOKED_DECIMALS } from '#lib/billing/booking.ts'
import type { Report } from '#lib/calls/report/report.ts'
import type { Store } from '#lib/table/store.ts'
import { rowsOfThings } from '../../command-line/listing.ts'
import { type PartsOfBalance, type Reconciled, reconcile } from '../../integrity/reconcile.ts'
import { settingsWithBalances } from '../balance/balance.ts'

/** The parts of each balance. `where` names the figures that differ; blank if none do. */
export async function reconcileReport(
  store: Store,
  wanted: ReadonlySet<number> | undefined,
): Promise<Report> {
  const settings = await settingsWithBalances(store)
  const print = (amount: Money) => fixed(amount, BOOKED_DECIMALS)
  const part = (name: keyof PartsOfBalance) =>
    ['number', ({ parts }: Reconciled) => print(parts[name] ?? ZERO)] as const
  return {
    currency: settings.Default_Currency,
    ...rowsOfThings(reconciledAccounts(), {
      customer: 'text',
      opening: part('opening'),
      invoices: part('invoices'),
      from_balance: part('from_balance'),
      credit_notes: part('credit_notes'),
      unassigned: part('unassigned'),
      adjustments: part('adjustments'),
      calls: part('calls'),
      charges: part('charges'),
      balance: ['number', ({ balance }) => print(balance)],
      difference: ['number', ({ difference }) => print(difference)],
      where: ['text', ({ where }) => where.join('; ')],
    }),
  }

  async function* reconciledAccounts() {
    for await (const batch of accountsOfOwners(store, await listOwnerIds(store), accounts.read))
      for (const account of batch.filter(({ id }) => wanted?.has(id) ?? true)) {
        const found = await reconcile({ store, settings }, account)
        if (found) yield { customer: account.username, ...found }
      }
  }
}
