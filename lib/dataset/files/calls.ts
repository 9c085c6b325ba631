import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { referenceProblems, references } from '#lib/dataset/format/references.ts'
import type { RowEntry, RowFormat } from '#lib/dataset/format/row-format.ts'
import { type Day, dayOf } from '#lib/domain/calendar.ts'
import { kindAfter } from '#lib/domain/row-refused.ts'
import type { CallVersion } from '#lib/rating/call-decision.ts'
import { isStoredRecord, writeCalls } from '#lib/rating/call-writing.ts'
import { callColumns, checkCall, findCalls, isCall } from '#lib/store/calls/call.ts'
import { listOwnersOfDays } from '#lib/store/calls/call-stats.ts'
import { optionalId, type Row } from '#lib/store/columns.ts'
import { accountKey, deviceKey } from '#lib/store/keys.ts'

/** A blank owner_id means the owner that the customer has when the call is stored (wire.md 7.1). */
const columns = { ...callColumns, owner_id: optionalId }

type CallRow = Row<typeof columns>

/**
 * Customers have a few calls a day, and each transaction counts them once: with more rows at once, fewer transactions count for
 * the same customer.
 */
const ROWS_AT_ONCE = 5000

/**
 * Billed calls. A unique id may occur more than once, in one file or in several. An equal row changes nothing. Another row
 * replaces the call and corrects its counters. Only the customer must exist: devices, providers and the other party may have
 * been deleted before a call arrives.
 */
export const callsFile: RowFormat<CallRow> = {
  columns,
  keyColumns: ['uniqueid'],
  mayHaveParts: true,
  rowsAtOnce: ROWS_AT_ONCE,
  exported: { holds: isCall, read: checkCall },
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
    return entries.map((entry, index) =>
      isStoredRecord(entry, found[index]) ? 'unchanged' : kindAfter(found[index]),
    )
  },
  write: async (entries, world) => {
    const dayOfCall = ({ calldate }: Pick<CallRow, 'calldate'>) => dayOf(calldate, world.calendar.zone)
    await findEmptyDays(
      entries.map(({ row }) => dayOfCall(row)),
      world,
    )
    const isNew = ({ row }: CallVersion) => world.accepted.emptyDays.get(dayOfCall(row)) === true
    return writeCalls(world.store, entries.map(withoutKeptOwner), isNew)
  },
}

/** Finds the days without calls, once for each day of an import. History fills empty days, whose calls need not be read. */
async function findEmptyDays(
  days: readonly Day[],
  { store, accepted: { emptyDays } }: ImportWorld,
): Promise<void> {
  const unknown = [...new Set(days)].filter((day) => !emptyDays.has(day)).sort()
  const [from, till] = [unknown[0], unknown.at(-1)]
  if (from === undefined || till === undefined) return
  const owners = await listOwnersOfDays(store, { from, till })
  for (const day of unknown) emptyDays.set(day, !owners.has(day))
}

/** A stored owner_id is not kept, because a call that moves to another customer moves to the owner of that customer. */
const withoutKeptOwner = ({ row, kept, digest }: RowEntry<CallRow>) => ({
  row: kept.includes('owner_id') ? { ...row, owner_id: undefined } : row,
  digest,
})
