import { localText } from '#lib/base/calendar.ts'
import { brokenRule, rowRefused } from '#lib/base/row-refused.ts'
import { services } from '#lib/billing/service.ts'
import { type Subscription, subscriptionColumns, subscriptions } from '#lib/billing/subscription.ts'
import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import { currencyProblemsOf } from './currency-problems.ts'
import { documentFile } from './documents.ts'

export const servicesFile = entityRows(services, { names: { column: 'name' }, check: currencyProblemsOf })

export const subscriptionsFile = documentFile<Subscription, Subscription>({
  columns: subscriptionColumns,
  kind: subscriptions,
  stored: ofOneAccount,
  checkedColumns: ['till', 'quantity'],
  problem: ({ from, till, quantity }) => {
    if (quantity < 0) return brokenRule('quantity', 'is below 0')
    // A stored moment and a cell are compared in any one zone.
    const isReversed = till !== undefined && localText(till, 'UTC') < localText(from, 'UTC')
    return isReversed ? brokenRule('till', 'is before from') : undefined
  },
})

/** A subscription stays with its account, which has paid: another one would be charged once more. */
function ofOneAccount(row: Subscription, before: Subscription | undefined): Subscription {
  if (!before || before.user_id === row.user_id) return row
  throw rowRefused(
    `subscription ${row.id} is one of account ${before.user_id}: end it there with till, and add another one for account ${row.user_id}`,
  )
}
