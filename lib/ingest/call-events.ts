import pMap from 'p-map'
import { callProblems, saidIn } from '#lib/dataset/files/active-calls.ts'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { parseRow } from '#lib/dataset/format/row-parser.ts'
import type { Cells } from '#lib/dataset/format/row-source.ts'
import { secondsOf } from '#lib/domain/calendar.ts'
import type { ActiveCall, CallEvent } from '#lib/domain/calls/active-call.ts'
import { reasonIn } from '#lib/domain/row-refused.ts'
import { activeCallColumns } from '#lib/store/calls/active-call.ts'
import { addCallEvent } from '#lib/store/calls/active-call-writing.ts'
import { optional } from '#lib/store/columns.ts'
import type { RecordStore } from './record-store.ts'

type Kind = CallEvent['kind']

/** Only `started` must say when the call began; later events need no more than the id and what is new. */
const later = { columns: { ...activeCallColumns, start_time: optional(activeCallColumns.start_time) } }
const FORMATS = { started: { columns: activeCallColumns }, answered: later, ended: later }

const CALLS_AT_ONCE = 16

/**
 * Stores what happened to calls in progress. Events may come in any order, more than once, and to several consumers at the
 * same time: what they add up to does not depend on it (lib/domain/calls/active-call.ts).
 */
export const callEvents =
  (kind: Kind): RecordStore =>
  (records, world) =>
    pMap(records, (cells) => storeEvent(kind, cells, world), { concurrency: CALLS_AT_ONCE })

async function storeEvent(kind: Kind, cells: Cells, world: ImportWorld): Promise<string | undefined> {
  try {
    const row = parseRow(FORMATS[kind], cells, world.calendar) as Partial<ActiveCall> & Pick<ActiveCall, 'id'>
    const [problem] = await callProblems([relevantTo(kind, row)], world)
    if (problem !== undefined) return problem
    const at = secondsOf(world.clock())
    await addCallEvent(world.store, { kind, id: row.id, said: saidIn(row), at })
    return undefined
  } catch (error) {
    return reasonIn(error)
  }
}

/** The end of a call is accepted whatever else the message says, since the call must leave the list. */
const relevantTo = (kind: Kind, row: Partial<ActiveCall>): Partial<ActiveCall> =>
  kind === 'ended' ? {} : row
