import pMap from 'p-map'
import { isBelowCost } from '#lib/domain/rates/rating.ts'
import { type Call, type CallIdentity, callKeys, findCalls } from '#lib/store/calls/call.ts'
import { type CallChange, storeCalls } from '#lib/store/calls/call-storage.ts'
import { LeftUndone } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'

/** A call to decide: what came for it, and the stored call. */
export interface SeenCall<T> {
  readonly identity: CallIdentity
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
 * again from its present state if another writer changed it meanwhile. Returns the valid decisions, by what came. A call
 * that changed at every attempt has none.
 *
 * @example
 * const writeComments = (store: Store, calls: readonly SeenCall<string>[]) =>
 *   changeCalls(store, calls, async () => async ({ came, before }) => ({
 *     change: before && { before, after: { ...before, comments: came } },
 *   }))
 */
export async function changeCalls<T, D extends Decision>(
  store: Store,
  calls: readonly SeenCall<T>[],
  prepare: PrepareDecisions<T, D>,
): Promise<Map<T, D>> {
  const decided = new Map<T, D>()
  for (let [open, attempts] = [calls, 1]; open.length > 0; attempts += 1) {
    const decide = await prepare(open)
    const decisions = await pMap(open, (call) => decide(call).then((decision) => ({ call, decision })), {
      concurrency: MAX_PARALLEL_DECISIONS,
    })
    const missed = new Set<CallChange | undefined>(await storeCalls(store, decisions.flatMap(changeOf)))
    for (const { call, decision } of decisions) {
      if (!missed.has(decision.change)) decided.set(call.came, decision)
    }
    if (attempts === MAX_ATTEMPTS) break
    open = await seenNow(
      store,
      open.filter(({ came }) => !decided.has(came)),
    )
  }
  noteStored(store, [...decided.values()])
  return decided
}

const changeOf = ({ decision: { change } }: { readonly decision: Decision }): CallChange[] =>
  change ? [change] : []

/** The same, for callers that can report no single call. Throws a transient error if a call changed at every attempt. */
export const changeAllCalls = <T, D extends Decision>(
  store: Store,
  calls: readonly SeenCall<T>[],
  prepare: PrepareDecisions<T, D>,
): Promise<Map<T, D>> =>
  changeCalls(store, calls, prepare).then((decided) => {
    const kept = calls.find(({ came }) => !decided.has(came))
    if (!kept) return decided
    throw new LeftUndone(
      `call ${kept.identity.uniqueid}: other writers changed it at each attempt; try again`,
    )
  })

/** The calls as they are stored now. */
async function seenNow<T>(
  store: Store,
  calls: readonly Omit<SeenCall<T>, 'before'>[],
): Promise<SeenCall<T>[]> {
  const found = await findCalls(
    store,
    calls.map(({ identity }) => identity),
  )
  return calls.map((call, index) => ({ ...call, before: found[index] }))
}

function noteStored({ meter }: Store, decisions: readonly Decision[]): void {
  const stored = decisions.flatMap(({ change }) => (change ? [change.after] : []))
  meter.note('calls_stored', stored.length)
  meter.note('below_cost', stored.filter(isBelowCost).length)
}

/** A text that identifies a call. It is unambiguous because a unique id has no blanks. */
export const identityName = (identity: CallIdentity): string => {
  const { PK, SK } = callKeys.item(identity)
  return `${PK} ${SK}`
}
