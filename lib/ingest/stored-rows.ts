import pMap from 'p-map'
import { secondsOf } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { problemsText, reasonIn } from '#lib/base/row-refused.ts'
import { type ActiveCall, activeCallColumns, type CallEvent, saidIn } from '#lib/calls/live/active-call.ts'
import { addCallEvent } from '#lib/calls/live/active-call-writing.ts'
import { callProblems } from '#lib/dataset/files/active-calls.ts'
import { contextWith, type ImportContext, onlyTable } from '#lib/dataset/format/import-context.ts'
import { checkEntries, type RefusedRows, writeEntries } from '#lib/dataset/format/row-batch.ts'
import { readNewEntries } from '#lib/dataset/format/row-entry.ts'
import type { RowColumns, RowFormat } from '#lib/dataset/format/row-format.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import { createRowParser } from '#lib/table/cells/row-parser.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { optional } from '#lib/table/columns.ts'

export type IngestedTable = Pick<ImportContext, 'store' | 'clock'>

/**
 * Stores records. Returns the reasons by refused record; the others are stored, now or earlier. The same
 * records again change nothing. Throws if the table does not answer.
 */
export type StoreRecords = (
  records: readonly Cells[],
  table: IngestedTable,
) => Promise<ReadonlyMap<Cells, string>>

const ROWS_AT_ONCE = 1000

/** Reads, checks and writes records like an import, by slice. A record's index is its line. */
export function storeRows<R>(format: RowFormat<R>): StoreRecords {
  const unquoted = withoutValues(format)
  return async (records, table) => {
    const context = await openContext(table)
    const rows = records.map((cells, line) => ({ line, cells }))
    const refused: RefusedRows = new Map()
    for (const some of slices(rows, ROWS_AT_ONCE)) {
      const read = readNewEntries(unquoted, some, context, refused)
      const sound = await checkEntries(format, read, context, refused)
      await writeEntries(format, sound, context, { refused })
    }
    return new Map(rows.flatMap(({ line, cells }) => reasonFor(cells, problemsText(refused.get(line)))))
  }
}

export const reasonFor = (record: Cells, reason: string | undefined): [record: Cells, reason: string][] =>
  reason ? [[record, reason]] : []

/** The context that rows are checked against and written into. No rows of a dataset precede them. */
export const openContext = async ({ store, clock }: IngestedTable): Promise<ImportContext> =>
  contextWith(onlyTable(store), await findSettings(store), clock)

/** Logged reasons of refusals name columns without values: a log has nothing of a message. */
const withoutValues = <F extends Pick<RowColumns, 'columns'>>(format: F) =>
  ({ ...format, hidesCells: true }) as const

type EventKind = CallEvent['kind']

const CALLS_AT_ONCE = 16

/**
 * Stores events of calls in progress. Events may come in any order, repeatedly, and to several consumers at
 * the same time: the result is the same (lib/calls/live/active-call.ts).
 */
export function storeCallEvents(kind: EventKind): StoreRecords {
  const format = withoutValues({ columns: columnsOf(kind) })
  return async (records, table) => {
    const context = await openContext(table)
    const parse = createRowParser(format, context.calendar)
    const store = async (cells: Cells) => {
      const stored = async () => storeCallEvent(kind, parse(cells) as EventRow, context)
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
  context: ImportContext,
): Promise<string | undefined> {
  // The end of a call is accepted with any other columns, since the call must leave the list.
  const checked = kind === 'ended' ? {} : row
  const problem = problemsText((await callProblems([checked], context))(checked))
  if (problem) return problem
  const at = secondsOf(context.clock())
  await addCallEvent(context.store, { kind, id: row.id, said: saidIn(row), at }, context.settings.shards)
  return undefined
}

/** Only `call_started` must have `start_time`. Later events need only the id and the columns that are new. */
function columnsOf(kind: EventKind) {
  if (kind === 'started') return activeCallColumns
  return { ...activeCallColumns, start_time: optional(activeCallColumns.start_time) }
}
