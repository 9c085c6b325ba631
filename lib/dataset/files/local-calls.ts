import { paired } from '#lib/base/collections.ts'
import { type DayRecord, kindsOfDayRecords, storeDayRecords } from '#lib/calls/day-record.ts'
import { type LocalCall, localCallColumns, ownerList, recordsOfLocalCalls } from '#lib/calls/local-call.ts'
import { type QueueLogEntry, queueLogColumns, recordOfQueueLog } from '#lib/calls/queue-log.ts'
import { referenceProblems, references } from '#lib/dataset/format/references.ts'
import { type RowEntry, type RowFormat, rowsOf } from '#lib/dataset/format/row-format.ts'
import { optional, type Row } from '#lib/table/columns.ts'
import { accountKey } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

/** The owners whose lists show the call. Blank means the owners that its parties have when it is stored. */
const columns = { ...localCallColumns, owners: optional(ownerList) }

const parties = references({ originator_user_id: accountKey, terminator_user_id: accountKey })

type LocalCallRow = Row<typeof columns>

export const localCallsFile: RowFormat<LocalCallRow> = {
  columns,
  optionalReferences: parties,
  claims: ({ uniqueid }) => [`uniqueid ${uniqueid}`],
  check: async (entries, context) => {
    const missing = await referenceProblems(context, rowsOf(entries), parties)
    return ({ row }) => (hasParty(row) ? missing(row) : NO_PARTY)
  },
  ...recordRows<LocalCallRow>(recordsOfLocalCalls),
}

const NO_PARTY = 'takes an originator_user_id or a terminator_user_id'

/** A call without a known party would appear in no list. */
const hasParty = ({ originator_user_id, terminator_user_id }: LocalCall): boolean =>
  originator_user_id !== undefined || terminator_user_id !== undefined

/** Compares and stores records of days: each once, however often it is delivered. */
export function recordRows<R>(
  toRecords: (store: Store, entries: readonly RowEntry<R>[]) => Promise<readonly DayRecord[]>,
): Pick<RowFormat<R>, 'compare' | 'write'> {
  return {
    compare: async (entries, { store }) => kindsOfDayRecords(store, await toRecords(store, entries)),
    write: async (entries, { store }) =>
      paired(entries, await storeDayRecords(store, await toRecords(store, entries))),
  }
}

export const queueLogFile: RowFormat<QueueLogEntry> = {
  columns: queueLogColumns,
  claims: ({ id }) => [`id ${id}`],
  ...recordRows(async (_, entries) => entries.map(recordOfQueueLog)),
}
