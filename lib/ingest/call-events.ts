import pMap from 'p-map'
import { secondsOf } from '#lib/base/calendar.ts'
import { reasonIn } from '#lib/base/row-refused.ts'
import { type ActiveCall, activeCallColumns, type CallEvent } from '#lib/calls/live/active-call.ts'
import { addCallEvent } from '#lib/calls/live/active-call-writing.ts'
import { callProblems, saidIn } from '#lib/dataset/files/active-calls.ts'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { createRowParser } from '#lib/table/cells/row-parser.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { optional } from '#lib/table/columns.ts'
import { openWorld, reasonFor, type StoreRecords, withoutValues } from './stored-rows.ts'

type EventKind = CallEvent['kind']

const CALLS_AT_ONCE = 16

/**
 * Stores events of calls in progress. Events may come in any order, repeatedly, and to several consumers at
 * the same time: the result is the same (lib/calls/live/active-call.ts).
 */
export function storeCallEvents(kind: EventKind): StoreRecords {
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
