import * as v from 'valibot'
import type { Actor } from '#lib/base/account-types.ts'
import { type Seconds, secondsOf } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { widestScope } from '#lib/base/scope.ts'
import { askedShardsOfUser, listShards, type Shards, shardsOfUser } from '#lib/base/shards.ts'
import { digest, filledRow, type Imported, id, integer, rowSchema } from '#lib/table/columns.ts'
import { readMany } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm, listedIn, padded } from '#lib/table/keys.ts'
import { merged, openLists } from '#lib/table/merge.ts'
import type { Query } from '#lib/table/requests/query.ts'
import type { Store } from '#lib/table/store.ts'
import {
  type ActiveCall,
  activeCallColumns,
  type KnownCall,
  LONGEST_CALL_SECONDS,
  type Said,
} from './active-call.ts'

export interface StoredCall extends Imported<KnownCall> {
  /** Goes up with every change; a write names the version that it has read. */
  readonly version: number
  /** The lists of its parties. There are none before its start is known and after its end. */
  readonly places: readonly PartyPlace[]
}

/** The place of a party: in the list of an owner, among the calls of one account. */
export interface PartyPlace {
  readonly owner: number
  readonly user: number
}

export const saidSchema = v.partial(rowSchema(activeCallColumns))

const storedSchema = v.object({
  ended: v.boolean(),
  version: integer().schema,
  digest: digest.schema,
  places: v.array(v.object({ owner: id.schema, user: id.schema })),
})

export const readStored = (item: Item): StoredCall => ({
  ...v.parse(storedSchema, item),
  said: v.parse(saidSchema, item) as Said,
})

export const readActiveCall = (item: Item): ActiveCall => filledIn(v.parse(saidSchema, item) as Said)

export const filledIn = (said: Said): ActiveCall => filledRow(activeCallColumns, said)

/** A call in progress, and its further item for a second party with other lists. */
export const activeCallKeys = {
  item: keyForm('ACTIVECALL#<id>', 'CALL'),
  second: keyForm('ACTIVECALL#<id>', 'SECOND'),
  ofEveryone: keyForm('ACTIVE#<shard>', '<start>#<id>'),
  ofOwner: keyForm('ACTIVE#OWNER#<owner>#<shard>', '<user>#<start>#<id>'),
}

type WrittenShards = Pick<Shards, 'written'>

export const isListedCall = (item: Item): boolean => 'GSI2PK' in item

/**
 * Listed under its start in GSI2 for everyone, and in GSI1 for a party. A list takes a write for each event
 * of a call: each shard takes those of about 300 new calls a second.
 */
export const everyonesPlace = ({ id: callId, start_time }: ActiveCall, { written }: WrittenShards): Item =>
  listedIn('GSI2', activeCallKeys.ofEveryone(callId % written, start_time, callId))

export const partysPlace = (
  { id: callId, start_time }: ActiveCall,
  place: PartyPlace | undefined,
  { written }: WrittenShards,
): Item => {
  if (!place) return {}
  const own = shardsOfUser(place.user, written)
  const shard = own[callId % own.length] ?? 0
  return listedIn('GSI1', activeCallKeys.ofOwner(place.owner, shard, place.user, start_time, callId))
}

/**
 * The calls that a caller may see, oldest first, by page: admin and accountant everyone's; a reseller those
 * with itself or a customer at an end, each once; a user its own (wire.md active_calls_get). Calls older than
 * 24 hours are hidden, even before the table removes them. All lists are read eventually.
 */
export async function* listActiveCalls(
  store: Store,
  caller: Actor,
  now: Date,
  shards: Shards,
): AsyncGenerator<ActiveCall[]> {
  const asked = { caller, since: secondsOf(now) - LONGEST_CALL_SECONDS, shards }
  const scope = widestScope(caller)
  if (scope !== 'everyone' && 'owner' in scope) return yield* callsOfOwner(store, scope.owner, asked)
  const queries = scope === 'everyone' ? everyonesQueries(asked) : ownQueries(asked)
  const lists = queries.map((query) => callPages(store, query))
  yield* merged(await openLists(lists), sortKeyOf)
}

/** The lists of everyone and those of one account ascend by it. */
const sortKeyOf = ({ start_time, id: callId }: ActiveCall): string =>
  activeCallKeys.ofEveryone(0, start_time, callId).SK

async function* callPages(store: Store, query: Query): AsyncGenerator<ActiveCall[]> {
  for await (const page of store.pages(query)) yield page.map(readActiveCall)
}

/** Whose calls are listed, from which start on, and where they can be. */
interface AskedCalls {
  readonly caller: Actor
  readonly since: Seconds
  readonly shards: Shards
}

/** Every list ascends by start. */
const everyonesQueries = ({ since, shards }: Omit<AskedCalls, 'caller'>): Query[] =>
  inShards(listShards(shards), (shard) => ({
    index: 'GSI2',
    partition: activeCallKeys.ofEveryone.partition(shard),
    between: [padded(since), '~'],
  }))

/** The calls of an account itself are in the lists of its owner. */
const ownQueries = ({ caller: { id: user, owner_id: owner }, since, shards }: AskedCalls): Query[] =>
  askedShardsOfUser(user, shards).map((shard) => {
    const { partition, prefix } = activeCallKeys.ofOwner.range(owner, shard, user)
    return { index: 'GSI1', partition, between: [prefix + padded(since), `${prefix}~`] }
  })

const inShards = <T>(count: number, make: (shard: number) => T): T[] =>
  Array.from({ length: count }, (_, shard) => make(shard))

const CALLS_OF_A_PAGE = 1000

/**
 * An owner's lists ascend by account, so its calls in progress are sorted in memory. A call between two of
 * its customers is in them twice, and one between the owner and a customer is in both lists.
 */
async function* callsOfOwner(store: Store, owner: number, asked: AskedCalls): AsyncGenerator<ActiveCall[]> {
  const ofCustomers = inShards(listShards(asked.shards), (shard): Query => {
    const partition = activeCallKeys.ofOwner.partition(owner, shard)
    return { index: 'GSI1', partition }
  })
  const lists = [...ofCustomers, ...ownQueries(asked)].map((query) => store.list(query))
  const listed = (await Promise.all(lists)).flat().map(readActiveCall)
  const calls = new Map(
    listed.filter((call) => call.start_time >= asked.since).map((call) => [call.id, call]),
  )
  const inOrder = [...calls.values()].sort(
    (one, other) => one.start_time - other.start_time || one.id - other.id,
  )
  for (const page of slices(inOrder, CALLS_OF_A_PAGE)) yield page
}

interface CallCount {
  readonly total: number
  readonly answered_calls: number
}

/** Counts the calls that a caller may see. An owner's list may have a call twice, so calls are read. */
export function countActiveCalls(store: Store, caller: Actor, now: Date, shards: Shards): Promise<CallCount> {
  if (widestScope(caller) !== 'everyone') return countCalls(listActiveCalls(store, caller, now, shards))
  return countListed(store, everyonesQueries({ since: secondsOf(now) - LONGEST_CALL_SECONDS, shards }))
}

async function countCalls(pages: AsyncIterable<readonly ActiveCall[]>): Promise<CallCount> {
  const count = { total: 0, answered_calls: 0 }
  for await (const calls of pages) {
    count.total += calls.length
    count.answered_calls += calls.filter(({ answer_time }) => answer_time !== undefined).length
  }
  return count
}

async function countListed(store: Store, queries: readonly Query[]): Promise<CallCount> {
  const counts = await Promise.all(queries.map((query) => store.countListed(query, 'answer_time')))
  const count = { total: 0, answered_calls: 0 }
  for (const { all, having } of counts) {
    count.total += all
    count.answered_calls += having
  }
  return count
}

/** In the order of the ids; calls that have ended are among them. */
export const findActiveCalls = (store: Store, ids: readonly number[]): Promise<(StoredCall | undefined)[]> =>
  readMany(store, ids.map(activeCallKeys.item), readStored)
