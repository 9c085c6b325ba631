import { services } from '#lib/billing/service.ts'
import { type Subscription, subscriptionColumns, subscriptions } from '#lib/billing/subscription.ts'
import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import { currencyProblemsOf } from './currency-problems.ts'
import { documentFile } from './documents.ts'

export const servicesFile = entityRows(services, { names: { column: 'name' }, check: currencyProblemsOf })

export const subscriptionsFile = documentFile<Subscription, Subscription>({
  columns: subscriptionColumns,
  kind: subscriptions,
  stored: (row) => row,
  checkedColumns: ['till', 'quantity'],
  problem: ({ from, till, quantity }) => {
    if (quantity < 0) return 'quantity is below 0'
    return till !== undefined && till < from ? 'till is before from' : undefined
  },
})
