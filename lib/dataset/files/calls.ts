import { referenceProblems, references } from '#lib/dataset/format/references.ts'
import type { RowEntry, RowFormat } from '#lib/dataset/format/row-format.ts'
import { kindAfter } from '#lib/domain/row-refused.ts'
import { isStoredRecord, writeCalls } from '#lib/rating/call-writing.ts'
import { callColumns, callKeys, checkCall, findCalls } from '#lib/store/calls/call.ts'
import { optionalId, type Row } from '#lib/store/columns.ts'
import { accountKey, deviceKey } from '#lib/store/keys.ts'

/** A blank owner_id means the owner that the customer has when the call is stored (wire.md 7.1). */
const columns = { ...callColumns, owner_id: optionalId }

type CallRow = Row<typeof columns>

/**
 * Billed calls. A unique id may occur more than once, in one file or in several. An equal row changes nothing. Another row
 * replaces the call and corrects its counters. Only the customer must exist: devices, providers and the other party may have
 * been deleted before a call arrives.
 */
export const callsFile: RowFormat<CallRow> = {
  columns,
  keyColumns: ['uniqueid'],
  mayHaveParts: true,
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
    return entries.map((entry, position) =>
      isStoredRecord(entry, found[position]) ? 'unchanged' : kindAfter(found[position]),
    )
  },
  write: (entries, { store }) => writeCalls(store, entries.map(withoutKeptOwner)),
}

/** A stored owner_id is not kept, because a call that moves to another customer moves to the owner of that customer. */
const withoutKeptOwner = ({ row, kept, digest }: RowEntry<CallRow>) => ({
  row: kept.includes('owner_id') ? { ...row, owner_id: undefined } : row,
  digest,
})
