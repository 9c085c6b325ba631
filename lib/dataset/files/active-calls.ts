import { type Seconds, secondsOf } from '#lib/base/calendar.ts'
import { allProblems, isStoredRow, type ProblemOf } from '#lib/base/row-refused.ts'
import {
  type ActiveCall,
  activeCallColumns,
  afterEvent,
  CLOCKS_APART_SECONDS,
  hasLeft,
  saidIn,
} from '#lib/calls/live/active-call.ts'
import { findActiveCalls, type StoredCall } from '#lib/calls/live/active-call-stored.ts'
import { callReplaced, commitCall } from '#lib/calls/live/active-call-writing.ts'
import type { ImportContext } from '#lib/dataset/format/import-context.ts'
import { referenceProblems, references } from '#lib/dataset/format/references.ts'
import { byId, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import { type RowEntry, type RowFormat, rowsOf } from '#lib/dataset/format/row-format.ts'
import { accountKey, deviceKey } from '#lib/table/keys.ts'

const namedAccounts = references({ user_id: accountKey, dst_user_id: accountKey })
const namedDevices = references({ device_id: deviceKey, dst_device_id: deviceKey })

export const activeCallsFile: RowFormat<ActiveCall> = {
  columns: activeCallColumns,
  optionalReferences: [...namedAccounts, ...namedDevices],
  claims: ({ id }) => [`id ${id}`],
  check: async (entries, context) => {
    const rows = rowsOf(entries)
    const problemOf = await callProblems(rows, context)
    const missing = await referenceProblems(context, rows, namedDevices)
    return ({ row }) => allProblems(problemOf(row), missing(row))
  },
  ...rowByRow<ActiveCall, StoredCall | undefined>({
    lane: ({ id }) => id,
    find: byId(findActiveCalls),
    columnsIn: (found) => found && { ...found.said, digest: found.digest },
    isStored: ({ row }, found) => !found?.ended && isStoredRow(saidIn(row), found?.said),
    changes: callChange,
    commit: commitCall,
  }),
}

/** Finds rows of this file, or call events, with impossible times or unknown accounts. */
export async function callProblems(
  rows: readonly Partial<ActiveCall>[],
  context: ImportContext,
): Promise<ProblemOf<Partial<ActiveCall>>> {
  const now = nowOf(context)
  const missing = await referenceProblems(context, rows, namedAccounts)
  return (row) => allProblems(timeProblem(row, now), missing(row))
}

const nowOf = ({ clock }: Pick<ImportContext, 'clock'>): Seconds => secondsOf(clock())

/** A future call would stay in the list for more than 24 hours. Its cause is a wrong clock or time zone. */
function timeProblem({ start_time, answer_time }: Partial<ActiveCall>, now: Seconds): string | undefined {
  if ((start_time ?? 0) > now + CLOCKS_APART_SECONDS) return 'start_time is in the future'
  const isBefore = answer_time !== undefined && answer_time < (start_time ?? 0)
  return isBefore ? 'answer_time is before start_time' : undefined
}

/** A call that has left the list, or whose end was reported, does not return to the list. */
async function callChange(
  { row, digest }: RowEntry<ActiveCall>,
  before: StoredCall | undefined,
  context: ImportContext,
) {
  const at = nowOf(context)
  if (before?.digest === digest || hasLeft(row.start_time, at)) return undefined
  const said = saidIn(row)
  if (before?.ended && afterEvent(before, { kind: 'started', id: row.id, said, at }) === before)
    return undefined
  const { store, settings } = context
  const after = { id: row.id, said, ended: false, digest, at }
  return { changes: await callReplaced(store, before, after, settings.shards) }
}
