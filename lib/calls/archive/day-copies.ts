import type { Day, Period } from '#lib/base/calendar.ts'
import type { Scope } from '#lib/base/scope.ts'
import { merged, openLists } from '#lib/table/merge.ts'
import type { Store } from '#lib/table/store.ts'
import { type Call, identityName, sortKeyOfCall } from '../call.ts'
import { type CallPlaces, listCallDays, listCalls } from '../call-search.ts'
import type { ArchivedObject } from './bucket.ts'
import { callsInFile } from './call-file.ts'

interface CallCopy {
  readonly call: Call
  readonly isInTable: boolean
  /** The highest version of the call in the files; 0 for none. */
  readonly archived: number
}

/**
 * The calls of a period of a day in a list of the table and in files of the archive, each once in its highest
 * version, in the order of time. The files are those of the period, and may have calls of others, too. Memory
 * holds some pages of the table and a row group of each file.
 */
export async function* latestCopies(
  store: Store,
  {
    day,
    scope,
    period,
    settings,
  }: { readonly day: Day; readonly scope: Scope; readonly period: Period; readonly settings: CallPlaces },
  files: readonly ArchivedObject[],
): AsyncGenerator<CallCopy[]> {
  const table = listCalls(
    store,
    await listCallDays(store, [scope], { from: day, till: day }, settings),
    period,
  )
  const sources = [copiesOf(table, true), ...files.map((file) => copiesOf(callsInFile(file, day), false))]
  let open: CallCopy[] = []
  for await (const batch of merged(await openLists(sources), placeOf)) {
    const copies = [...open, ...batch]
    const last = copies.at(-1)
    const cut = last ? copies.findIndex((copy) => placeOf(copy) === placeOf(last)) : 0
    yield latestOfEach(copies.slice(0, cut))
    open = copies.slice(cut)
  }
  yield latestOfEach(open)
}

/** Copies of one call have one place, because a call keeps its start as long as it keeps its day. */
const placeOf = ({ call }: CallCopy): string => sortKeyOfCall(call)

async function* copiesOf(batches: AsyncIterable<Call[]>, isInTable: boolean): AsyncGenerator<CallCopy[]> {
  for await (const calls of batches)
    yield calls.map((call) => ({ call, isInTable, archived: isInTable ? 0 : call.version }))
}

function latestOfEach(copies: readonly CallCopy[]): CallCopy[] {
  const latest = new Map<string, CallCopy>()
  for (const copy of copies) {
    const name = identityName(copy.call)
    const known = latest.get(name)
    const newest = known && !isNewer(copy, known) ? known : copy
    latest.set(name, { ...newest, archived: Math.max(copy.archived, known?.archived ?? 0) })
  }
  return [...latest.values()]
}

/** The table's copy counts among equal versions: it still needs a time to live. */
const isNewer = ({ call, isInTable }: CallCopy, known: CallCopy): boolean =>
  call.version > known.call.version || (call.version === known.call.version && isInTable)
