import { callsFile } from '#lib/dataset/files/calls.ts'
import { localCallsFile } from '#lib/dataset/files/local-calls.ts'
import { queueLogFile } from '#lib/dataset/files/queue-log.ts'
import type { Cells } from '#lib/dataset/format/row-source.ts'
import { callEvents } from './call-events.ts'
import { cdrDocuments } from './cdr-messages.ts'
import { type Message, manyRecords, oneRecord } from './message.ts'
import { type RecordStore, rowStore } from './record-store.ts'

/**
 * One `type` of message: which records it carries, and where they go. Kinds with the same `into` are stored together.
 * `records` throws RowRefused when the message is not what its type says.
 */
export interface MessageKind {
  readonly records: (message: Message) => readonly Cells[]
  readonly into: RecordStore
}

const callRows = rowStore(callsFile)

/**
 * What comes through the queue, by `type`. A new type is one entry: `rowStore` a file of the dataset format, or a
 * RecordStore of its own (records in, for each of them why it is refused, or undefined).
 */
export const messageKinds: Readonly<Record<string, MessageKind>> = {
  call: { records: oneRecord, into: callRows },
  calls: { records: manyRecords, into: callRows },
  call_started: { records: oneRecord, into: callEvents('started') },
  call_answered: { records: oneRecord, into: callEvents('answered') },
  call_ended: { records: oneRecord, into: callEvents('ended') },
  local_call: { records: oneRecord, into: rowStore(localCallsFile) },
  queue_log: { records: oneRecord, into: rowStore(queueLogFile) },
  switch_record: { records: oneRecord, into: cdrDocuments },
  switch_records: { records: manyRecords, into: cdrDocuments },
}
