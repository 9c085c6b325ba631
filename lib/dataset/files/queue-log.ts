import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { paired } from '#lib/domain/collections.ts'
import {
  kindsOfQueueLog,
  type QueueLogEntry,
  queueLogColumns,
  storeQueueLog,
} from '#lib/store/calls/queue-log.ts'

export const queueLogFile: RowFormat<QueueLogEntry> = {
  columns: queueLogColumns,
  claims: ({ id }) => [`id ${id}`],
  compare: (entries, { store }) => kindsOfQueueLog(store, entries),
  write: async (entries, { store }) => paired(entries, await storeQueueLog(store, entries)),
}
