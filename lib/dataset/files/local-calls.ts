import { accountsById } from '#lib/dataset/format/references.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { type LocalCall, localCallColumns, storeLocalCalls } from '#lib/store/calls/local-call.ts'

export const localCalls: RowFormat<LocalCall> = {
  columns: localCallColumns,
  claims: ({ uniqueid }) => [`uniqueid ${uniqueid}`],
  check: async (entries, world) => {
    const rows = entries.map(({ row }) => row)
    const accounts = await accountsById(
      world,
      rows.flatMap(({ originator_user_id, terminator_user_id }) => [originator_user_id, terminator_user_id]),
    )
    return rows.map((row) => callProblem(row, accounts))
  },
  write: (entries, { store }) => storeLocalCalls(store, entries),
}

/** A call of which neither end is known would be in nobody's list. */
function callProblem(
  { originator_user_id, terminator_user_id }: LocalCall,
  accounts: ReadonlyMap<number, unknown>,
): string | undefined {
  if (originator_user_id === undefined && terminator_user_id === undefined) {
    return 'takes an originator_user_id or a terminator_user_id'
  }
  const isMissing = (id: number | undefined) => id !== undefined && !accounts.has(id)
  if (isMissing(originator_user_id)) return `originator_user_id: there is no account ${originator_user_id}`
  return isMissing(terminator_user_id)
    ? `terminator_user_id: there is no account ${terminator_user_id}`
    : undefined
}
