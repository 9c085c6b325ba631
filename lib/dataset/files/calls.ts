import { accountsById } from '#lib/dataset/format/references.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { missingReference } from '#lib/domain/row-refused.ts'
import { writeCalls } from '#lib/rating/call-writing.ts'
import { type CallRow, callColumns } from '#lib/store/calls/call.ts'

/**
 * Billed calls. A unique id may come twice, in one file or in many: the same row changes nothing, another one replaces
 * the call and corrects the counters.
 */
export const calls: RowFormat<CallRow> = {
  columns: callColumns,
  claims: () => [],
  check: async (entries, world) => {
    const users = await accountsById(
      world,
      entries.map(({ row }) => row.user_id),
    )
    return entries.map(({ row: { user_id } }) =>
      users.has(user_id) ? undefined : missingReference('user_id', 'account', user_id),
    )
  },
  write: (entries, { store }) => writeCalls(store, entries),
}
