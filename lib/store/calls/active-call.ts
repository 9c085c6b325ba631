import * as v from 'valibot'
import type { Actor } from '#lib/domain/accounts/account.ts'
import { partiesOf } from '#lib/domain/accounts/account.ts'
import { type Scope, widestScope } from '#lib/domain/accounts/scope.ts'
import { type Seconds, secondsOf } from '#lib/domain/calendar.ts'
import {
  type ActiveCall,
  afterEvent,
  type CallEvent,
  hasLeft,
  type KnownCall,
  LONGEST_CALL_SECONDS,
  type Said,
} from '#lib/domain/calls/active-call.ts'
import { findAccounts } from '#lib/store/accounts/account.ts'
import {
  blankRow,
  dateTime,
  digest,
  type Imported,
  id,
  integer,
  optional,
  optionalId,
  type Row,
  rowReader,
  rowSchema,
  text,
} from '#lib/store/columns.ts'
import { readMany } from '#lib/store/entity.ts'
import type { Item } from '#lib/store/items.ts'
import { isSameKey, type Key, keyForm, padded, scopedList } from '#lib/store/keys.ts'
import type { Change } from '#lib/store/requests/changes.ts'
import { absent, is } from '#lib/store/requests/changes.ts'
import { retryingRaces } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'

// Keys

/** What is known of a call in progress, and its copies in the lists of its parties and of everyone, oldest first. */
export const activeCallKeys = {
  item: keyForm('ACTIVECALL#<id>', 'ACTIVECALL'),
  of: (scope: Scope): string => scopedList('ACTIVE', scope, 'ACTIVE'),
  place: (start: number, id: number): string => `${padded(start)}#${padded(id)}`,
  since: (start: number): readonly [from: string, to: string] => [padded(start), '~'],
}

// Shape

export const activeCallColumns = {
  id,
  start_time: dateTime,
  answer_time: optional(dateTime),
  src: text(),
  user_id: optionalId,
  device_id: optionalId,
  localized_dst: text(),
  dst_user_id: optionalId,
  dst_device_id: optionalId,
  destination_name: text(),
  provider_name: text(),
  channel: text(),
}

/** A call as a dataset brings it. */
export type ActiveCallRow = Row<typeof activeCallColumns>

export const readActiveCall = rowReader(activeCallColumns)

/** What is known of a call, as the table holds it. */
export interface StoredCall extends Imported<KnownCall> {
  /** Goes up with every change; who writes names the version it has read. */
  readonly version: number
  /** The lists that have a copy of it. */
  readonly listed: readonly Key[]
}

const storedSchema = v.object({
  said: v.partial(rowSchema(activeCallColumns)),
  ended: v.boolean(),
  version: integer().schema,
  listed: v.array(v.object({ PK: v.string(), SK: v.string() })),
  digest: digest.schema,
})

export const readStored = (item: Item): StoredCall => v.parse(storedSchema, item) as StoredCall

// Access patterns

/**
 * The calls that a caller may see, oldest first, page by page: admin and accountant see everyone's; a reseller those in
 * which it or a customer of its is either end, each once; a user those where it is either end (wire.md active_calls_get).
 * What is older than 24 hours is hidden, whether or not the table has removed it yet.
 */
export async function* listActiveCalls(store: Store, caller: Actor, now: Date): AsyncGenerator<ActiveCall[]> {
  const between = activeCallKeys.since(secondsOf(now) - LONGEST_CALL_SECONDS)
  for await (const page of store.pages({ partition: activeCallKeys.of(widestScope(caller)), between }))
    yield page.map(readActiveCall)
}

/** Counts the calls that the caller may see. */
export async function countActiveCalls(
  store: Store,
  caller: Actor,
  now: Date,
): Promise<{ total: number; answered_calls: number }> {
  const count = { total: 0, answered_calls: 0 }
  for await (const calls of listActiveCalls(store, caller, now)) {
    count.total += calls.length
    count.answered_calls += calls.filter(({ answer_time }) => answer_time !== undefined).length
  }
  return count
}

/** In the order of the ids; calls that have ended are among them. */
export const findStoredCalls = (store: Store, ids: readonly number[]): Promise<(StoredCall | undefined)[]> =>
  readMany(store, ids.map(activeCallKeys.item), readStored)

/** Adds an event to what is known of its call. One of a call that has left the list anyway is not kept. */
export const addCallEvent = (store: Store, event: CallEvent): Promise<'written' | 'unchanged'> =>
  retryingRaces(store, async () => {
    if (event.kind !== 'ended' && hasLeft(event.said.start_time ?? event.at, event.at)) return 'unchanged'
    const [before] = await findStoredCalls(store, [event.id])
    const after = afterEvent(before, event)
    if (after === before) return 'unchanged'
    await replaceCall(store, before, { ...after, digest: before?.digest, at: event.at, id: event.id })
    return 'written'
  })

/** A call as it shall be known. */
export interface CallToStore extends Imported<KnownCall> {
  readonly id: number
  /** When this became known. */
  readonly at: Seconds
}

/**
 * The call and its copies in place of what was read, in one transaction: no list shows a call whose end is known. Throws
 * ConditionFailed when another event has come meanwhile.
 */
export async function replaceCall(
  store: Store,
  before: StoredCall | undefined,
  { id: callId, at, ...after }: CallToStore,
): Promise<void> {
  const call = listedCall(after)
  const listed = call ? await keysOf(store, call) : []
  const expires_at = LONGEST_CALL_SECONDS + (call ? call.start_time : at + KEPT_LONGER_SECONDS)
  const state = { ...after, listed, version: (before?.version ?? 0) + 1, expires_at }
  await store.transact([
    {
      put: { ...activeCallKeys.item(callId), ...state },
      when: before ? { version: is(before.version) } : { PK: absent },
    },
    ...listed.map((key): Change => ({ put: { ...key, ...call, expires_at } })),
    ...without(before?.listed ?? [], listed).map((key): Change => ({ remove: key })),
  ])
}

/**
 * An end is remembered until every `started` of its call would be 24 hours old, and so not be kept either, even one from
 * a switch whose clock is ahead.
 */
const KEPT_LONGER_SECONDS = 60 * 60

/** An `answered` that came first does not say who is talking: such a call is listed once its `started` is here. */
const listedCall = ({ said, ended }: KnownCall): ActiveCall | undefined =>
  ended || said.start_time === undefined ? undefined : filledIn(said)

const filledIn = (said: Said): ActiveCall => ({ ...blankRow(activeCallColumns), ...said }) as ActiveCall

/** The owner of an end is the owner at the time this is stored. */
async function keysOf(store: Store, call: ActiveCall): Promise<Key[]> {
  const ends = [call.user_id, call.dst_user_id].filter((end) => end !== undefined)
  const { users, owners } = partiesOf(await findAccounts(store, ends))
  const scopes: Scope[] = [
    'everyone',
    ...users.map((user) => ({ user })),
    ...owners.map((owner) => ({ owner })),
  ]
  return scopes.map((scope) => ({
    PK: activeCallKeys.of(scope),
    SK: activeCallKeys.place(call.start_time, call.id),
  }))
}

const without = (keys: readonly Key[], others: readonly Key[]): Key[] =>
  keys.filter((key) => !others.some((other) => isSameKey(other, key)))
