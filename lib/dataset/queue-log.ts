import { type QueueLogEntry, queueLogColumns, storeQueueLog } from '#lib/store/entities/queue-log.ts'
import type { DatasetFile } from './file.ts'

export const queueLog: DatasetFile<QueueLogEntry> = {
  columns: queueLogColumns,
  claims: ({ id }) => [`id ${id}`],
  check: async (entries) => entries.map(() => undefined),
  write: (entries, { store }) => storeQueueLog(store, entries),
}
