import { findWholeAccounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { inBatches } from '#lib/base/collections.ts'
import { unbilledOf } from '#lib/invoicing/unbilled.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { ListedRow, Listing } from '../../command-line/listing.ts'
import { countOf } from '../../machine/terminal.ts'
import { type MonthOptions, wantedCustomers } from './month-tool.ts'

const ACCOUNTS_AT_ONCE = 50

/** Unbilled work: changes of months older than Late_Months, and subscriptions that nothing charges. */
export async function unbilledListing(
  store: Store,
  options: Pick<MonthOptions, 'customer' | 'seller'>,
  now: Date,
): Promise<Listing> {
  const settings = await settingsOf(store)
  const { ids } = await wantedCustomers(store, options)
  return {
    columns: { customer: 'text', month: 'text', calls: 'number', charges: 'number', subscription: 'text' },
    rows: unbilledRows({ store, settings, now }, ids),
    summary: (count) => `${countOf(count, 'row')}; amounts in ${settings.Default_Currency}, without VAT`,
  }
}

async function* unbilledRows(run: Parameters<typeof unbilledOf>[0], ids: readonly number[]) {
  for await (const some of inBatches(ids, ACCOUNTS_AT_ONCE)) {
    const accounts = await findWholeAccounts(run.store, some)
    for (const account of accounts) if (account) yield* await rowsOfAccount(run, account)
  }
}

async function rowsOfAccount(
  run: Parameters<typeof unbilledOf>[0],
  account: WholeAccount,
): Promise<ListedRow[]> {
  const { months, subscriptions } = await unbilledOf(run, account)
  const customer = account.username
  return [
    ...months.map((month) => ({ customer, ...month })),
    ...subscriptions.map((subscription) => ({ customer, subscription })),
  ]
}
