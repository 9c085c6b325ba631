import { parse } from 'lossless-json'
import { RowRefused } from '#lib/base/row-refused.ts'
import { callsFile } from '#lib/dataset/files/calls.ts'
import { localCallsFile } from '#lib/dataset/files/local-calls.ts'
import { queueLogFile } from '#lib/dataset/files/queue-log.ts'
import { type Cells, cellsOfJson } from '#lib/table/cells/row-source.ts'
import { storeCallEvents } from './call-events.ts'
import { mediateRecords } from './queued-documents.ts'
import { type StoreRecords, storeRows } from './stored-rows.ts'

/** A message of the queue: its type, and the other members of its JSON object. Numbers are lossless. */
interface Message {
  readonly type: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A message's kind and records. Throws RowRefused for a malformed message or unknown type. */
export function readMessage(text: string): {
  readonly kind: MessageKind
  readonly records: readonly Cells[]
} {
  const message = messageIn(text)
  const { type } = message
  const kind = Object.hasOwn(MESSAGE_KINDS, type) ? MESSAGE_KINDS[type] : undefined
  if (!kind) throw new RowRefused(`has the type ${JSON.stringify(type.slice(0, 40))}, which is unknown`)
  return { kind, records: kind.recordsIn(message) }
}

function messageIn(text: string): Message {
  const document = parsed(text)
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new RowRefused('is not a JSON object')
  }
  const { type, ...fields } = document as Readonly<Record<string, unknown>>
  if (typeof type !== 'string') throw new RowRefused('has no type')
  return { type, fields }
}

function parsed(text: string): unknown {
  try {
    return parse(text)
  } catch {
    throw new RowRefused('is not JSON')
  }
}

/** `{"type": ..., ...columns}`: the message is the record. */
const oneRecord = ({ fields }: Message): readonly Cells[] => [cellsIn(fields)]

/** `{"type": ..., "records": [{...columns}, ...]}`. */
function manyRecords({ fields: { records } }: Message): readonly Cells[] {
  if (!Array.isArray(records)) throw new RowRefused('has no records')
  return records.map(cellsIn)
}

function cellsIn(document: unknown): Cells {
  try {
    return cellsOfJson(document)
  } catch {
    throw new RowRefused('holds a record that is not a flat JSON object')
  }
}

/** Kinds with one `store` are stored together. `recordsIn` throws RowRefused for a malformed message. */
interface MessageKind {
  readonly recordsIn: (message: Message) => readonly Cells[]
  readonly store: StoreRecords
}

const storeCallRows = storeRows(callsFile)

/** The queue's messages by `type`. A new type is one entry: a file's `storeRows`, or a StoreRecords. */
const MESSAGE_KINDS: Readonly<Record<string, MessageKind>> = {
  call: { recordsIn: oneRecord, store: storeCallRows },
  calls: { recordsIn: manyRecords, store: storeCallRows },
  call_started: { recordsIn: oneRecord, store: storeCallEvents('started') },
  call_answered: { recordsIn: oneRecord, store: storeCallEvents('answered') },
  call_ended: { recordsIn: oneRecord, store: storeCallEvents('ended') },
  local_call: { recordsIn: oneRecord, store: storeRows(localCallsFile) },
  queue_log: { recordsIn: oneRecord, store: storeRows(queueLogFile) },
  switch_record: { recordsIn: oneRecord, store: mediateRecords },
  switch_records: { recordsIn: manyRecords, store: mediateRecords },
}
