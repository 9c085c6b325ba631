import { findAccounts } from '#lib/accounts/account.ts'
import { HOUR_SECONDS, type Seconds } from '#lib/base/calendar.ts'
import type { Shards } from '#lib/base/shards.ts'
import type { Imported } from '#lib/table/columns.ts'
import type { Item } from '#lib/table/items.ts'
import { absent, type Change, type Conditions, is } from '#lib/table/requests/changes.ts'
import { retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import {
  type ActiveCall,
  activeCallColumns,
  afterEvent,
  type CallEvent,
  hasLeft,
  type KnownCall,
  LONGEST_CALL_SECONDS,
} from './active-call.ts'
import {
  activeCallKeys,
  everyonesPlace,
  filledIn,
  findActiveCalls,
  type PartyPlace,
  partysPlace,
  type StoredCall,
} from './active-call-stored.ts'

/** Adds an event to its call. Events of calls that have left the list are ignored. */
export const addCallEvent = (
  store: Store,
  event: CallEvent,
  shards: Pick<Shards, 'written'>,
): Promise<'written' | 'unchanged'> =>
  retryingRaces(store, async () => {
    if (event.kind !== 'ended' && hasLeft(event.said.start_time ?? event.at, event.at)) return 'unchanged'
    const [before] = await findActiveCalls(store, [event.id])
    const after = afterEvent(before, event)
    if (after === before) return 'unchanged'
    const { at, id } = event
    const whole = { ...after, digest: before?.digest, at, id }
    await commitCall(store, await callReplaced(store, before, whole, shards))
    return 'written'
  })

interface CallToStore extends Imported<KnownCall> {
  readonly id: number
  /** When this became known. */
  readonly at: Seconds
}

/**
 * The write that puts a call in place of the one that was read: one conditional write for the lists of
 * everyone and of one party, and its second item if two parties have lists of their own. It fails when
 * another event has come meanwhile, or has been written by an attempt whose answer was lost.
 */
export async function callReplaced(
  store: Store,
  before: StoredCall | undefined,
  { id: callId, at, ...after }: CallToStore,
  shards: Pick<Shards, 'written'>,
): Promise<readonly Change[]> {
  const call = listedCall(after)
  const places = call ? await placesOf(store, before, call) : []
  const expires_at = LONGEST_CALL_SECONDS + (call ? call.start_time : at + KEPT_LONGER_SECONDS)
  const listed = call && {
    ...everyonesPlace(call, shards),
    ...partysPlace(call, places[0], shards),
  }
  const set = { ...stateOf(after, places), ...listed, version: (before?.version ?? 0) + 1, expires_at }
  const when: Conditions = before ? { version: is(before.version) } : { PK: absent }
  const key = activeCallKeys.item(callId)
  const second = secondChange(
    callId,
    before,
    call && places[1] && { ...after.said, ...partysPlace(call, places[1], shards), expires_at },
  )
  const first = { update: key, to: { set }, when }
  return second ? [first, second] : [first]
}

/** One item alone is written without a transaction, which would cost twice as much. */
export async function commitCall(store: Store, changes: readonly Change[]): Promise<void> {
  const [first] = changes
  if (changes.length === 1 && first && 'update' in first)
    await store.update(first.update, first.to, first.when)
  else await store.transact(changes)
}

/** All attributes of a call in no list; `undefined` removes what an earlier state has left. */
const stateOf = ({ said, ...state }: KnownCall, places: readonly PartyPlace[]): Item => ({
  ...UNSAID,
  ...said,
  ...state,
  places,
  ...UNLISTED,
})

/** The second item of a call comes and goes with the second place. */
function secondChange(
  callId: number,
  before: StoredCall | undefined,
  item: Item | undefined,
): Change | undefined {
  const key = activeCallKeys.second(callId)
  if (item) return { put: { ...key, ...item } }
  return before?.places[1] ? { remove: key } : undefined
}

/** Removes the values that an earlier state had and the new one lacks. */
const UNSAID = Object.fromEntries(Object.keys(activeCallColumns).map((column) => [column, undefined]))
const UNLISTED = { GSI1PK: undefined, GSI1SK: undefined, GSI2PK: undefined, GSI2SK: undefined }

/**
 * An end is remembered until every `started` of its call would be 24 hours old, and so not be kept either,
 * even one from a switch whose clock is ahead.
 */
const KEPT_LONGER_SECONDS = HOUR_SECONDS

/** An `answered` that came first names no parties: the call is listed when its `started` arrives. */
const listedCall = ({ said, ended }: KnownCall): ActiveCall | undefined =>
  ended || said.start_time === undefined ? undefined : filledIn(said)

/**
 * The places of the ends with accounts, one if both are one account. The owner of an end is the one when it
 * became known. A reseller or partner is also its own owner, who sees its customers' calls.
 */
async function placesOf(
  store: Store,
  before: StoredCall | undefined,
  call: ActiveCall,
): Promise<PartyPlace[]> {
  const ends = [...new Set([call.user_id, call.dst_user_id].filter((end) => end !== undefined))]
  const known = before?.places ?? []
  if (known.length === ends.length && known.every(({ user }, index) => user === ends[index]))
    return [...known]
  const accounts = (await findAccounts(store, ends)).filter((account) => account !== undefined)
  return accounts.map(({ id: user, owner_id: owner }) => ({ owner, user }))
}
