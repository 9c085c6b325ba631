import type { DatasetFile } from '#lib/dataset/format/file.ts'
import { type QueueLogEntry, queueLogColumns, storeQueueLog } from '#lib/store/calls/queue-log.ts'

export const queueLog: DatasetFile<QueueLogEntry> = {
  columns: queueLogColumns,
  claims: ({ id }) => [`id ${id}`],
  check: async (entries) => entries.map(() => undefined),
  write: (entries, { store }) => storeQueueLog(store, entries),
}
