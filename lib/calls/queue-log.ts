import type { Period } from '#lib/base/calendar.ts'
import { dateTime, id, type Row, text } from '#lib/table/columns.ts'
import { keyForm, listName, padded } from '#lib/table/keys.ts'
import { pack, unpacker } from '#lib/table/packed-row.ts'
import type { Store } from '#lib/table/store.ts'
import { type DayListing, listDays } from './day-list.ts'
import type { DayRecord } from './day-record.ts'

export const queueLogKeys = {
  item: keyForm('QUEUELOG#<id>', 'QUEUELOG'),
  all: listName('QUEUELOG')(),
  /** Orders the entries of one second. */
  place: padded,
}

/** In the order in which queue_log_get prints them. */
export const queueLogColumns = {
  id,
  time: dateTime,
  call_id: text(),
  queue_name: text(),
  agent: text(),
  event: text(),
  data1: text(),
  data2: text(),
  data3: text(),
  data4: text(),
  data5: text(),
}

export type QueueLogEntry = Row<typeof queueLogColumns>

const readQueueLogEntry = unpacker(queueLogColumns)

/** Ascending by time, then by id. */
export const listQueueLog = (store: Store, period: Period): Promise<DayListing<QueueLogEntry>> =>
  listDays(store, { list: queueLogKeys.all, read: readQueueLogEntry }, period)

export const recordOfQueueLog = ({
  row,
  digest,
}: {
  readonly row: QueueLogEntry
  readonly digest: string
}): DayRecord => ({
  key: queueLogKeys.item(row.id),
  digest,
  at: row.time,
  place: queueLogKeys.place(row.id),
  lists: [queueLogKeys.all],
  row: pack(queueLogColumns, row),
})
