import { parse } from 'lossless-json'
import pMap from 'p-map'
import * as v from 'valibot'
import { secondsOf } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { DATE_ORDERS } from '#lib/base/date-order.ts'
import { RowRefused, reasonIn } from '#lib/base/row-refused.ts'
import type { ActiveCall, CallEvent } from '#lib/calls/live/active-call.ts'
import { activeCallColumns } from '#lib/calls/live/active-call-stored.ts'
import { addCallEvent } from '#lib/calls/live/active-call-writing.ts'
import { FORMAT_NAMES, isSourceName } from '#lib/cdrs/formats/cdr.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { mediate, partsOf } from '#lib/cdrs/pipeline.ts'
import { callProblems, saidIn } from '#lib/dataset/files/active-calls.ts'
import { callsFile } from '#lib/dataset/files/calls.ts'
import { localCallsFile } from '#lib/dataset/files/local-calls.ts'
import { queueLogFile } from '#lib/dataset/files/queue-log.ts'
import { type ImportWorld, onlyTable, worldWith } from '#lib/dataset/format/import-world.ts'
import { checkEntries, type RefusedRows, writeEntries } from '#lib/dataset/format/row-batch.ts'
import { readNewEntries } from '#lib/dataset/format/row-entry.ts'
import type { RowColumns, RowFormat } from '#lib/dataset/format/row-format.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import { createRowParser } from '#lib/table/cells/row-parser.ts'
import { type Cells, cellsOfJson } from '#lib/table/cells/row-source.ts'
import { optional } from '#lib/table/columns.ts'

// Messages

/** A message of the queue: its type, and the other members of its JSON object. Numbers are lossless. */
interface Message {
  readonly type: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The kind and the records of a message. Throws RowRefused for a malformed message and for an unknown type. */
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

// Kinds

/** The table that records are stored in. */
export type IngestedTable = Pick<ImportWorld, 'store' | 'clock'>

/**
 * Stores records. Returns the reasons by refused record; the others are stored, now or earlier. The same records again change
 * nothing. Throws if the table does not answer.
 */
export type StoreRecords = (
  records: readonly Cells[],
  table: IngestedTable,
) => Promise<ReadonlyMap<Cells, string>>

/** The kinds with the same `store` are stored together. `recordsIn` throws RowRefused for a malformed message. */
interface MessageKind {
  readonly recordsIn: (message: Message) => readonly Cells[]
  readonly store: StoreRecords
}

const storeCallRows = storeRows(callsFile)

/** The messages of the queue, by `type`. A new type is one entry: `storeRows` of a dataset file, or a StoreRecords of its own. */
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

// Rows of dataset files

const ROWS_AT_ONCE = 1000

/** Reads, checks and writes records as an import does, slice by slice. A record's index stands for its line. */
function storeRows<R>(format: RowFormat<R>): StoreRecords {
  const unquoted = withoutValues(format)
  return async (records, table) => {
    const world = await openWorld(table)
    const rows = records.map((cells, line) => ({ line, cells }))
    const refused: RefusedRows = new Map()
    for (const some of slices(rows, ROWS_AT_ONCE)) {
      const read = readNewEntries(unquoted, some, world, refused)
      const sound = await checkEntries(format, read, world, refused)
      await writeEntries(format, sound, world, { refused })
    }
    return new Map(rows.flatMap(({ line, cells }) => reasonFor(cells, refused.get(line))))
  }
}

const reasonFor = (record: Cells, reason: string | undefined): [record: Cells, reason: string][] =>
  reason === undefined ? [] : [[record, reason]]

/** The world that rows are checked against and written into. No rows of a dataset precede them. */
const openWorld = async ({ store, clock }: IngestedTable): Promise<ImportWorld> =>
  worldWith(onlyTable(store), await findSettings(store), clock)

/** The reasons to refuse a record are logged, and a log has nothing of a message: they name columns without their values. */
function withoutValues<F extends Pick<RowColumns, 'columns'>>(format: F): F {
  return { ...format, secrets: Object.keys(format.columns) }
}

// Calls in progress

type EventKind = CallEvent['kind']

const CALLS_AT_ONCE = 16

/**
 * Stores events of calls in progress. Events may come in any order, repeatedly, and to several consumers at the same time:
 * the result is the same (lib/calls/live/active-call.ts).
 */
function storeCallEvents(kind: EventKind): StoreRecords {
  const format = withoutValues({ columns: columnsOf(kind) })
  return async (records, table) => {
    const world = await openWorld(table)
    const parse = createRowParser(format, world.calendar)
    const store = async (cells: Cells) => {
      const stored = async () => storeCallEvent(kind, parse(cells) as EventRow, world)
      return reasonFor(cells, await stored().catch(reasonIn))
    }
    return new Map((await pMap(records, store, { concurrency: CALLS_AT_ONCE })).flat())
  }
}

type EventRow = Partial<ActiveCall> & Pick<ActiveCall, 'id'>

/** Returns the reason why an event is refused. */
async function storeCallEvent(
  kind: EventKind,
  row: EventRow,
  world: ImportWorld,
): Promise<string | undefined> {
  // The end of a call is accepted with any other columns, since the call must leave the list.
  const checked = kind === 'ended' ? {} : row
  const problem = (await callProblems([checked], world))(checked)
  if (problem !== undefined) return problem
  const at = secondsOf(world.clock())
  await addCallEvent(world.store, { kind, id: row.id, said: saidIn(row), at }, world.settings.shards)
  return undefined
}

/** Only `call_started` must have `start_time`. Later events need only the id and the columns that are new. */
function columnsOf(kind: EventKind) {
  if (kind === 'started') return activeCallColumns
  return { ...activeCallColumns, start_time: optional(activeCallColumns.start_time) }
}

// CDR documents

/** A JSON text in a cell: records are flat, without lists and objects. */
const json = <T extends v.GenericSchema>(schema: T) => v.pipe(v.string(), v.parseJson(), schema)

/** A CDR document in a message. */
const queuedDocument = v.object({
  format: v.picklist(FORMAT_NAMES, 'is not a format'),
  source: v.pipe(v.string(), v.check(isSourceName, 'is not the name of a switch')),
  document: v.string(),
  zone: v.optional(v.string(), ''),
  columns: v.optional(json(v.array(v.string()))),
  mapping: v.optional(json(v.record(v.string(), v.string()))),
  where: v.optional(json(v.array(v.string()))),
  dates: v.optional(v.picklist(DATE_ORDERS, 'is not an order of dates')),
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
  await mediate(mediation, partsOf(mediation, documents))
  return new Map(
    read.flatMap(({ cells, issues }) =>
      issues ? [[cells, `${v.getDotPath(issues[0])}: ${issues[0].message}`]] : [],
    ),
  )
}
