import { type QueueLogEntry, queueLogColumns, recordOfQueueLog } from '#lib/calls/queue-log.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { recordRows } from './local-calls.ts'

export const queueLogFile: RowFormat<QueueLogEntry> = {
  columns: queueLogColumns,
  claims: ({ id }) => [`id ${id}`],
  ...recordRows(async (_, entries) => entries.map(recordOfQueueLog)),
}
