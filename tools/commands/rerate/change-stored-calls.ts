import type { Call } from '#lib/calls/call.ts'
import { type ChangedTable, changeCalls } from '#lib/calls/rating/change-calls.ts'

/**
 * Changes stored calls without a new CDR. `columnsOf` gets each call as it is stored now, and returns
 * its new columns, or `undefined` to leave it. Returns the number of changed calls.
 */
export async function changeStoredCalls(
  table: ChangedTable,
  calls: readonly Call[],
  columnsOf: (call: Call) => Partial<Call> | undefined,
): Promise<number> {
  const seen = calls.map((call) => ({ identity: call, input: call, before: call }))
  const decided = await changeCalls(table, seen, async (open) =>
    open.map(({ before }) => {
      const columns = before && columnsOf(before)
      return { change: columns && { before, after: { ...before, ...columns, version: before.version + 1 } } }
    }),
  )
  return [...decided.values()].filter(({ change }) => change).length
}
