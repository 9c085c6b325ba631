import {
  subscriptions as kind,
  type Subscription,
  subscriptionColumns,
} from '#lib/store/billing/subscription.ts'
import { documentFile } from './document-file.ts'

export const subscriptions = documentFile<Subscription, Subscription>({
  columns: subscriptionColumns,
  kind,
  stored: (row) => row,
  check: async (entries) =>
    entries.map(({ row: { from, till } }) =>
      till !== undefined && till < from ? 'till is before from' : undefined,
    ),
})
