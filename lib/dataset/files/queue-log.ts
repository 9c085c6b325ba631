import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import {
  kindsOfQueueLog,
  type QueueLogEntry,
  queueLogColumns,
  storeQueueLog,
} from '#lib/store/calls/queue-log.ts'

export const queueLog: RowFormat<QueueLogEntry> = {
  columns: queueLogColumns,
  claims: ({ id }) => [`id ${id}`],
  compare: (entries, { store }) => kindsOfQueueLog(store, entries),
  write: (entries, { store }) => storeQueueLog(store, entries),
}
