import pMap from 'p-map'
import { dayOf } from '#lib/domain/calendar.ts'
import type { CallIdentity } from '#lib/domain/calls/call-identity.ts'
import { isArchivedDay, isArchivedMoment, type Retention } from '#lib/domain/calls/retention.ts'
import { groupBy, paired } from '#lib/domain/collections.ts'
import { isBelowCost } from '#lib/domain/rates/rating.ts'
import { UnknownArchive } from '#lib/store/call-archive.ts'
import { type Call, findCalls, identityName, readCall } from '#lib/store/calls/call.ts'
import { type CallChange, type CallTable, storeCalls } from '#lib/store/calls/call-storage.ts'
import { LeftUndone } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'

/** The table whose calls are changed, and which of them are in its archive. */
export interface ChangedTable {
  readonly store: Store
  readonly settings: Retention & CallTable['settings']
}

/** A call to find. Its start tells the day whose archive may have it. */
export type SoughtCall = CallIdentity & Pick<Call, 'calldate'>

/** A call to decide: what came for it, and the stored call. */
export interface SeenCall<T> {
  /** Its start tells whether its day is archived. */
  readonly identity: SoughtCall
  readonly came: T
  /** The stored call; `undefined` if none is stored, or none is expected. */
  readonly before: Call | undefined
}

/** The decision about one call. Without `change` the call stays as it is. */
export interface Decision {
  readonly change?: CallChange | undefined
}

/** Reads what the decisions about these calls need, and returns the function that decides one of them. */
export type PrepareDecisions<T, D extends Decision> = (
  calls: readonly SeenCall<T>[],
) => Promise<(call: SeenCall<T>) => Promise<D>>

/** Another writer may change a call between reading and writing. Hardly any call needs a third attempt. */
const MAX_ATTEMPTS = 20

export const MAX_PARALLEL_DECISIONS = 16

/**
 * The one way in which calls are changed: decides each call, stores the changes with their counters, and decides a call
 * again from its present state if another writer changed it meanwhile. A call of an archived day is compared with the
 * archive. Returns the valid decisions, by what came. A call that changed at every attempt has none.
 *
 * @example
 * const writeComments = (table: ChangedTable, calls: readonly SeenCall<string>[]) =>
 *   changeCalls(table, calls, async () => async ({ came, before }) => ({
 *     change: before && { before, after: { ...before, comments: came } },
 *   }))
 */
export async function changeCalls<T, D extends Decision>(
  { store, settings }: ChangedTable,
  calls: readonly SeenCall<T>[],
  prepare: PrepareDecisions<T, D>,
): Promise<Map<T, D>> {
  const decided = new Map<T, D>()
  let open = await withArchived({ store, settings }, calls)
  for (let attempts = 1; open.length > 0; attempts += 1) {
    const decide = await prepare(open)
    const decideOne = (call: SeenCall<T>) =>
      decide(call).then((decision) => {
        const { change } = decision
        return { call, decision, change: change && withLateness(change, settings) }
      })
    const decisions = await pMap(open, decideOne, { concurrency: MAX_PARALLEL_DECISIONS })
    const changes = decisions.flatMap(({ change }) => change ?? [])
    const missed = new Set<CallChange | undefined>(await storeCalls({ store, settings }, changes))
    for (const { call, decision, change } of decisions)
      if (!missed.has(change)) decided.set(call.came, decision)
    if (attempts === MAX_ATTEMPTS) break
    const left = open.filter(({ came }) => !decided.has(came))
    open = await seenNow({ store, settings }, left)
  }
  noteStored(store, [...decided.values()])
  return decided
}

const withLateness = (change: CallChange, settings: Retention): CallChange =>
  isArchivedDay(change.after.day, settings) ? { ...change, isLate: true } : change

/** The same, for callers that can report no single call. Throws a transient error if a call changed at every attempt. */
export const changeAllCalls = <T, D extends Decision>(
  table: ChangedTable,
  calls: readonly SeenCall<T>[],
  prepare: PrepareDecisions<T, D>,
): Promise<Map<T, D>> =>
  changeCalls(table, calls, prepare).then((decided) => {
    const kept = calls.find(({ came }) => !decided.has(came))
    if (!kept) return decided
    throw new LeftUndone(
      `call ${kept.identity.uniqueid}: other writers changed it at each attempt; try again`,
    )
  })

/** What came for each call, with the stored call. A call of which only new versions came is not read. */
export async function seenCalls<V extends { readonly row: SoughtCall }>(
  store: Store,
  versions: readonly V[],
  isNew: (version: V) => boolean = () => false,
): Promise<SeenCall<readonly V[]>[]> {
  const groups = [...groupBy(versions, ({ row }) => identityName(row)).values()]
  const calls = groups.flatMap((came) => (came[0] ? [{ identity: came[0].row, came }] : []))
  const known = calls.filter(({ came }) => !came.every(isNew)).map(({ identity }) => identity)
  const stored = paired<SoughtCall, Call | undefined>(known, await findCalls(store, known))
  return calls.map((call) => ({ ...call, before: stored.get(call.identity) }))
}

/** The calls as they are stored now. */
async function seenNow<T>(
  table: ChangedTable,
  calls: readonly SeenCall<T>[],
): Promise<readonly SeenCall<T>[]> {
  const sought = calls.map(({ identity }) => identity)
  const stored = paired(sought, await findCalls(table.store, sought))
  return withArchived(
    table,
    calls.map((call) => ({ ...call, before: stored.get(call.identity) })),
  )
}

/** Finds calls in the table, and those of archived days also in the archive. In the order of the identities. */
export async function findStoredCalls(
  table: ChangedTable,
  sought: readonly SoughtCall[],
): Promise<(Call | undefined)[]> {
  const calls = sought.map((identity) => ({ identity, came: identity, before: undefined }))
  return (await seenNow(table, calls)).map(({ before }) => before)
}

/** The calls that were read from the table, and those of the archive. */
async function withArchived<T>(
  table: ChangedTable,
  calls: readonly SeenCall<T>[],
): Promise<readonly SeenCall<T>[]> {
  const missing = calls.filter(({ before }) => !before).map(({ identity }) => identity)
  const archived = await findArchivedCalls(table, missing)
  if (archived.size === 0) return calls
  return calls.map((call) => ({ ...call, before: call.before ?? archived.get(identityName(call.identity)) }))
}

function noteStored({ meter }: Store, decisions: readonly Decision[]): void {
  const stored = decisions.flatMap(({ change }) => (change ? [change.after] : []))
  meter.note('calls_stored', stored.length)
  meter.note('below_cost', stored.filter(isBelowCost).length)
}

/** The archived calls among these, by their name. Throws UnknownArchive where the archive has to be asked and is unknown. */
async function findArchivedCalls(
  { store, settings }: ChangedTable,
  sought: readonly SoughtCall[],
): Promise<ReadonlyMap<string, Call>> {
  const late = sought.filter(({ calldate }) => isArchivedMoment(calldate, settings))
  const archived = new Map<string, Call>()
  for (const [day, ofDay] of groupBy(late, ({ calldate }) => dayOf(calldate, settings.Timezone))) {
    if (!store.archive) throw new UnknownArchive(day)
    const found = (await store.archive.find(day, ofDay)).map(readCall)
    for (const call of found) archived.set(identityName(call), call)
  }
  return archived
}
