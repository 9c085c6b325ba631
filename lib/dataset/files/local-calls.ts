import { referenceProblems, references } from '#lib/dataset/format/references.ts'
import { type RowFormat, rowsOf } from '#lib/dataset/format/row-format.ts'
import { paired } from '#lib/domain/collections.ts'
import {
  kindsOfLocalCalls,
  type LocalCall,
  localCallColumns,
  ownerList,
  storeLocalCalls,
} from '#lib/store/calls/local-call.ts'
import { optional, type Row } from '#lib/store/columns.ts'
import { accountKey } from '#lib/store/keys.ts'

/** The owners whose lists show the call. Blank means the owners that its parties have when it is stored. */
const columns = { ...localCallColumns, owners: optional(ownerList) }

const parties = references({ originator_user_id: accountKey, terminator_user_id: accountKey })

export const localCallsFile: RowFormat<Row<typeof columns>> = {
  columns,
  optionalReferences: parties,
  claims: ({ uniqueid }) => [`uniqueid ${uniqueid}`],
  check: async (entries, world) => {
    const missing = await referenceProblems(world, rowsOf(entries), parties)
    return ({ row }) => (hasParty(row) ? missing(row) : NO_PARTY)
  },
  compare: (entries, { store }) => kindsOfLocalCalls(store, entries),
  write: async (entries, { store }) => paired(entries, await storeLocalCalls(store, entries)),
}

const NO_PARTY = 'takes an originator_user_id or a terminator_user_id'

/** A call without a known party would appear in no list. */
const hasParty = ({ originator_user_id, terminator_user_id }: LocalCall): boolean =>
  originator_user_id !== undefined || terminator_user_id !== undefined
