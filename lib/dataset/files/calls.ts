import { referenceProblems } from '#lib/dataset/format/references.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { writeCalls } from '#lib/rating/call-writing.ts'
import { type CallRow, callColumns, findCalls } from '#lib/store/calls/call.ts'

/**
 * Billed calls. A unique id may come twice, in one file or in many: the same row changes nothing, another one replaces
 * the call and corrects the counters.
 */
export const calls: RowFormat<CallRow> = {
  columns: callColumns,
  keyColumns: ['uniqueid'],
  optionalReferences: { device_id: 'device', dst_user_id: 'account', dst_device_id: 'device' },
  stored: (rows, { store }) => findCalls(store, rows),
  claims: () => [],
  check: (entries, world) => {
    const rows = entries.map(({ row }) => row)
    return referenceProblems(world, rows, { user_id: 'account' })
  },
  write: (entries, { store }) => writeCalls(store, entries),
}
