import { accountNames } from '#lib/accounts/account.ts'
import { addDays, type Day, periodOfDay, today } from '#lib/base/calendar.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { listPayments } from '#lib/billing/payment.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import type { ListedRow, Listing } from '../../command-line/listing.ts'
import { findAccountNamed } from '../../command-line/named.ts'
import { countOf } from '../../machine/terminal.ts'

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
  return {
    columns: {
      ...{ id: 'number', date: 'time', account: 'text', amount: 'number', currency: 'text' },
      ...{ type: 'text', reference: 'text', completed: 'text' },
    },
    zone,
    rows: rowsOf(store, { scope, period, Default_Currency }),
    summary: (count) => countOf(count, 'payment'),
  }
}

async function* rowsOf(
  store: Store,
  {
    scope,
    period,
    Default_Currency,
  }: {
    readonly scope: Parameters<typeof listPayments>[1]
    readonly period: Parameters<typeof listPayments>[2]
    readonly Default_Currency: string
  },
): AsyncGenerator<ListedRow> {
  const namesOf = accountNames(store)
  for await (const page of listPayments(store, scope, period)) {
    const names = await namesOf(page.map(({ user_id }) => user_id))
    for (const { id, date, user_id, amount, currency, type, transaction_id, completed } of page)
      yield {
        ...{ id, date, account: names.get(user_id) ?? `account ${user_id}`, amount, type, completed },
        ...{ currency: currency || Default_Currency, reference: transaction_id },
      }
  }
}
