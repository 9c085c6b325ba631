import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { parse } from 'lossless-json'
import * as v from 'valibot'
import { DATE_ORDERS } from '#lib/base/date-order.ts'
import { reasonIn, rowRefused } from '#lib/base/row-refused.ts'
import { ACCOUNT_CODES } from '#lib/base/switch-names.ts'
import { isSourceName } from '#lib/cdrs/formats/cdr.ts'
import { FORMAT_NAMES } from '#lib/cdrs/formats/formats.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { mediate, partsOf } from '#lib/cdrs/pipeline/pipeline.ts'
import { seeingClocks } from '#lib/cdrs/switch-clocks.ts'
import { LENGTH_FORMS } from '#lib/csv/headings.ts'
import { callsFile } from '#lib/dataset/files/calls.ts'
import { localCallsFile, queueLogFile } from '#lib/dataset/files/local-calls.ts'
import { rememberingReader, withRecentSettings } from '#lib/settings/recent-items.ts'
import type { CallArchive } from '#lib/table/call-archive.ts'
import { type Cells, cellsOfJson } from '#lib/table/cells/row-source.ts'
import { beginInvocation } from '#lib/table/invocation.ts'
import { isolatingPoison, isTransient } from '#lib/table/requests/retries.ts'
import { lambdaTableServices, type TableServices } from '#lib/table/store.ts'
import { type IngestedTable, type StoreRecords, storeCallEvents, storeRows } from './stored-rows.ts'

const NAME = 'ingest_calls'

/**
 * Stores the records of messages, by kind, and reports each failed message: the queue repeats it and finally
 * moves it to the dead-letter queue. No message fails because of another one. Valid records are stored, and
 * are duplicates next time. The log has a failure's first reason, never the content of a message.
 */
export const queueConsumer =
  (services: TableServices): ((event: SQSEvent) => Promise<SQSBatchResponse>) =>
  async ({ Records }) => {
    const { store, writeLine } = beginInvocation(services)
    const messages = Records.map(openMessage)
    const failures = messages.filter((one) => 'reason' in one)
    const byKind = Map.groupBy(
      messages.filter((one) => 'records' in one),
      (message) => message.store,
    )
    for (const [storeRecords, ofOneKind] of byKind) {
      const work = (some: readonly OpenMessage[]) =>
        storeTogether(some, storeRecords, { store, clock: services.clock })
      failures.push(...(await isolatingPoison(ofOneKind, work, poisonous)))
    }
    for (const failure of failures) services.log({ function: NAME, ...failure })
    writeLine({ function: NAME, outcome: 'ingested', messages: Records.length, failed: failures.length })
    return { batchItemFailures: failures.map(({ message }) => ({ itemIdentifier: message })) }
  }

/** The services of a Lambda that takes many batches a second: it remembers the settings for a second. */
export function consumerServices(archive: CallArchive | undefined): TableServices {
  const { openStore, clock, log } = lambdaTableServices(archive)
  const readItems = rememberingReader(clock)
  return { openStore: (meter) => withRecentSettings(openStore(meter), readItems), clock, log }
}

/** The records of a message, and the function that stores them. */
interface OpenMessage {
  readonly message: string
  readonly store: StoreRecords
  readonly records: readonly Cells[]
}

/** `refused`: the content is wrong. `failed`: the table did not answer, a retry may succeed. */
interface FailedMessage {
  readonly message: string
  readonly outcome: 'refused' | 'failed'
  readonly reason: string
}

function openMessage({ messageId: message, body }: SQSRecord): OpenMessage | FailedMessage {
  try {
    const { kind, records } = readMessage(body)
    return { message, store: kind.store, records }
  } catch (error) {
    return { message, outcome: 'refused', reason: reasonIn(error) }
  }
}

/** Stores the records of messages together. All messages fail if the table does not answer. */
async function storeTogether(
  messages: readonly OpenMessage[],
  store: StoreRecords,
  table: IngestedTable,
): Promise<FailedMessage[]> {
  try {
    const records = messages.flatMap((message) => message.records)
    const reasons = await store(records, table)
    return messages.flatMap((one) => {
      const [reason] = one.records.flatMap((record) => reasons.get(record) ?? [])
      return reason === undefined ? [] : [{ message: one.message, outcome: 'refused', reason }]
    })
  } catch (error) {
    if (!isTransient(error)) throw error
    return messages.map(({ message }) => ({ message, outcome: 'failed', reason: sentenceOf(error) }))
  }
}

const poisonous = ({ message }: OpenMessage, error: unknown): FailedMessage => ({
  message,
  outcome: 'refused',
  reason: sentenceOf(error),
})

const sentenceOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)

/** A message of the queue: its type, and the other members of its JSON object. Numbers are lossless. */
interface Message {
  readonly type: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A message's kind and records. Throws refused_row for a malformed message or unknown type. */
function readMessage(text: string): {
  readonly kind: MessageKind
  readonly records: readonly Cells[]
} {
  const message = messageIn(text)
  const { type } = message
  const kind = Object.hasOwn(MESSAGE_KINDS, type) ? MESSAGE_KINDS[type] : undefined
  if (!kind) throw rowRefused(`has the type ${JSON.stringify(type.slice(0, 40))}, which is unknown`)
  return { kind, records: kind.recordsIn(message) }
}

function messageIn(text: string): Message {
  const document = parsed(text)
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw rowRefused('is not a JSON object')
  }
  const { type, ...fields } = document as Readonly<Record<string, unknown>>
  if (typeof type !== 'string') throw rowRefused('has no type')
  return { type, fields }
}

function parsed(text: string): unknown {
  try {
    return parse(text)
  } catch {
    throw rowRefused('is not JSON')
  }
}

/** `{"type": ..., ...columns}`: the message is the record. */
const oneRecord = ({ fields }: Message): readonly Cells[] => [cellsIn(fields)]

/** `{"type": ..., "records": [{...columns}, ...]}`. */
function manyRecords({ fields: { records } }: Message): readonly Cells[] {
  if (!Array.isArray(records)) throw rowRefused('has no records')
  return records.map(cellsIn)
}

function cellsIn(document: unknown): Cells {
  try {
    return cellsOfJson(document)
  } catch {
    throw rowRefused('holds a record that is not a flat JSON object')
  }
}

/** Kinds with one `store` are stored together. `recordsIn` throws refused_row for a malformed message. */
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

/** A JSON text in a cell: records are flat, without lists and objects. */
const json = <T extends v.GenericSchema>(schema: T) => v.pipe(v.string(), v.parseJson(), schema)

const queuedDocument = v.object({
  format: v.picklist(FORMAT_NAMES, 'is not a format'),
  source: v.pipe(v.string(), v.check(isSourceName, 'is not the name of a switch')),
  document: v.string(),
  zone: v.optional(v.string(), ''),
  columns: v.optional(json(v.array(v.string()))),
  mapping: v.optional(json(v.record(v.string(), v.string()))),
  where: v.optional(json(v.array(v.string()))),
  dates: v.optional(v.picklist(DATE_ORDERS, 'is not an order of dates')),
  codes: v.optional(v.picklist(ACCOUNT_CODES, 'is neither names nor ids')),
  lengths: v.optional(v.picklist([...LENGTH_FORMS, 'ask'], 'is not a form of lengths')),
})

/** Mediates CDR documents. A record is refused only if it does not name format and switch. */
async function mediateRecords(
  records: readonly Cells[],
  { store, clock }: IngestedTable,
): Promise<ReadonlyMap<Cells, string>> {
  const mediation = await openMediation(store, clock())
  const read = records.map((cells) => ({ cells, ...v.safeParse(queuedDocument, cells) }))
  const documents = read.flatMap(({ success, output }) => {
    if (!success) return []
    const { document: text, ...origin } = output
    return [{ ...origin, text }]
  })
  const clocks = seeingClocks(mediation, 'queued')
  await mediate(mediation, clocks.passing(partsOf(mediation, documents)))
  await clocks.noted()
  return new Map(
    read.flatMap(({ cells, issues }) =>
      issues ? [[cells, `${v.getDotPath(issues[0])}: ${issues[0].message}`]] : [],
    ),
  )
}
