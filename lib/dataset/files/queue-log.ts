import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { paired } from '#lib/domain/collections.ts'
import { isInList } from '#lib/store/calls/day-list.ts'
import {
  checkQueueLogEntry,
  kindsOfQueueLog,
  type QueueLogEntry,
  queueLogColumns,
  queueLogKeys,
  storeQueueLog,
} from '#lib/store/calls/queue-log.ts'

export const queueLogFile: RowFormat<QueueLogEntry> = {
  columns: queueLogColumns,
  exported: { holds: isInList(queueLogKeys.all), read: checkQueueLogEntry },
  claims: ({ id }) => [`id ${id}`],
  compare: (entries, { store }) => kindsOfQueueLog(store, entries),
  write: async (entries, { store }) => paired(entries, await storeQueueLog(store, entries)),
}
