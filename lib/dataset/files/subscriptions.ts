import { referenceProblems } from '#lib/dataset/format/references.ts'
import {
  subscriptions as kind,
  type Subscription,
  subscriptionColumns,
} from '#lib/store/billing/subscription.ts'
import { documentFile } from './document-file.ts'

export const subscriptions = documentFile<Subscription, Subscription>({
  columns: subscriptionColumns,
  optionalReferences: { device_id: 'device' },
  kind,
  stored: (row) => row,
  check: async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const problems = await referenceProblems(world, rows, { service_id: 'service', device_id: 'device' })
    return rows.map(
      ({ from, till }, position) =>
        problems[position] ?? (till !== undefined && till < from ? 'till is before from' : undefined),
    )
  },
})
