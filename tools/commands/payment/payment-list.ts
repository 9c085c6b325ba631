import { displayName } from '#lib/base/account-types.ts'
import { addDays, type Day, periodOfDay, today } from '#lib/base/calendar.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { listPayments } from '#lib/billing/payment.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { findAccountNamed, withCustomers } from '../../command-line/named.ts'

interface WantedPayments {
  readonly account: string | undefined
  readonly from?: Day | undefined
  readonly till?: Day | undefined
}

const DAYS_BY_DEFAULT = 31

/** The payments of an account, or of all customers of the operator, by their date. */
export async function listPaymentRows(store: Store, wanted: WantedPayments, now: Date): Promise<Listing> {
  const { Timezone: zone, Default_Currency } = await settingsOf(store)
  const till = wanted.till ?? today(now, zone)
  const from = wanted.from ?? addDays(till, -DAYS_BY_DEFAULT)
  const account = wanted.account === undefined ? undefined : await findAccountNamed(store, wanted.account)
  const scope = account ? { user: account.id } : { owner: ADMIN_ACCOUNT }
  const period = { from: periodOfDay(from, zone).from, till: periodOfDay(till, zone).till }
  return listingOf(store, 'payment', withCustomers(store, listPayments(store, scope, period), displayName), {
    id: 'number',
    date: 'time',
    account: ['text', ({ customer }) => customer],
    amount: 'number',
    currency: ['text', ({ currency }) => currency || Default_Currency],
    type: 'text',
    reference: ['text', ({ transaction_id }) => transaction_id],
    completed: 'text',
  })
}
