import { referenceProblems, references } from '#lib/dataset/format/references.ts'
import type { RowEntry, RowFormat } from '#lib/dataset/format/row-format.ts'
import { kindOfRow } from '#lib/domain/row-refused.ts'
import { writeCalls } from '#lib/rating/call-writing.ts'
import { callColumns, callKeys, checkCall, findCalls } from '#lib/store/calls/call.ts'
import { optionalId, type Row } from '#lib/store/columns.ts'
import { accountKey, deviceKey } from '#lib/store/keys.ts'

/** For whom the call counts; blank: the owner that its customer has when it is stored (wire.md 7.1). */
const columns = { ...callColumns, owner_id: optionalId }

type CallRow = Row<typeof columns>

/**
 * Billed calls. A unique id may come twice, in one file or in many: the same row changes nothing, another one replaces
 * the call and corrects the counters. Devices, providers and the other end may be gone by the time calls come in: only who
 * pays must be there.
 */
export const calls: RowFormat<CallRow> = {
  columns,
  keyColumns: ['uniqueid'],
  exported: { holds: ({ PK }) => String(PK).startsWith(callKeys.ofId('')), read: checkCall },
  optionalReferences: references({ device_id: deviceKey, dst_user_id: accountKey, dst_device_id: deviceKey }),
  stored: (rows, { store }) => findCalls(store, rows),
  claims: () => [],
  check: (entries, world) => {
    const rows = entries.map(({ row }) => row)
    return referenceProblems(world, rows, references({ user_id: accountKey, owner_id: accountKey }))
  },
  compare: async (entries, { store }) => {
    const found = await findCalls(
      store,
      entries.map(({ row }) => row),
    )
    return entries.map(({ digest }, position) => kindOfRow(found[position], digest))
  },
  write: (entries, { store }) => writeCalls(store, entries.map(withoutKeptOwner)),
}

/** A call that goes to another customer goes to that one's owner, unless the file says whose it is. */
const withoutKeptOwner = ({ row, kept, digest }: RowEntry<CallRow>) => ({
  row: kept.includes('owner_id') ? { ...row, owner_id: undefined } : row,
  digest,
})
