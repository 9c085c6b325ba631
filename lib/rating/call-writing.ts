import pMap from 'p-map'
import { dayOf } from '#lib/domain/calendar.ts'
import { groupBy } from '#lib/domain/collections.ts'
import { isBelowCost } from '#lib/domain/rates/rating.ts'
import {
  ID_USED,
  isStoredRow,
  KEPT_CHANGING,
  kindAfter,
  type RowOutcome,
  RowRefused,
  reasonIn,
} from '#lib/domain/row-refused.ts'
import { type Call, type CallIdentity, type CallRow, callKeys, findCalls } from '#lib/store/calls/call.ts'
import { type CallChange, storeCalls } from '#lib/store/calls/call-storage.ts'
import type { Store } from '#lib/store/store.ts'
import { INTERNAL, PAYERS, rateCall } from './call-rating.ts'
import { type Customer, customerOf, openRateBook, type RateBook } from './rate-book.ts'

/** The decision about one call; `change` is missing if the call stays unchanged. */
interface Decision {
  readonly change?: CallChange | undefined
}

/** The records of one call and the stored call, which a decision is made from. */
export interface SeenCall<G> {
  readonly group: G
  readonly before: Call | undefined
}

/** Finds the calls of groups. */
interface KnownCalls<G> {
  identityOf(group: G): CallIdentity
  /** Tells whether a group's call is expected to be new. */
  readonly isNew?: ((group: G) => boolean) | undefined
}

/** Another writer may change a call between reading and writing. Hardly any call needs a third attempt. */
const MAX_ATTEMPTS = 20

/**
 * Writes the changes that `decide` makes from the stored calls. Each change names the version that it has seen: if another
 * writer has changed the call since, the call is read and decided again. A call is only read in the second attempt if `isNew`
 * expects that none is stored. Returns the valid decision for each group. A group has none if its call changed at every attempt.
 */
export async function changeCalls<G, D extends Decision>(
  store: Store,
  groups: readonly G[],
  calls: KnownCalls<G>,
  decide: (seen: readonly SeenCall<G>[]) => Promise<D[]>,
): Promise<Map<G, D>> {
  const decided = new Map<G, D>()
  let [open, known] = [groups, calls]
  for (let attempts = MAX_ATTEMPTS; open.length > 0 && attempts > 0; attempts -= 1) {
    const before = await findBefore(store, open, known)
    const decisions = await decide(open.map((group) => ({ group, before: before.get(group) })))
    const changes = decisions.flatMap(({ change }) => change ?? [])
    const missed = new Set<CallChange | undefined>(await storeCalls(store, changes))
    for (const [place, decision] of decisions.entries()) {
      if (!missed.has(decision.change)) decided.set(open[place] as G, decision)
    }
    open = open.filter((group) => !decided.has(group))
    known = { identityOf: calls.identityOf }
  }
  const stored = [...decided.values()].flatMap(({ change }) => change?.after ?? [])
  store.meter.note('below_cost', stored.filter(isBelowCost).length)
  return decided
}

async function findBefore<G>(
  store: Store,
  groups: readonly G[],
  { identityOf, isNew }: KnownCalls<G>,
): Promise<ReadonlyMap<G, Call | undefined>> {
  const read = isNew ? groups.filter((group) => !isNew(group)) : groups
  const found = await findCalls(store, read.map(identityOf))
  return new Map(read.map((group, place) => [group, found[place]]))
}

/** A text that identifies a call. It is unambiguous because a unique id has no blanks. */
export const identityName = (identity: CallIdentity): string => {
  const { PK, SK } = callKeys.item(identity)
  return `${PK} ${SK}`
}

/** The change that stores a rated call in place of `before`. */
export function callChange(
  book: RateBook,
  before: Call | undefined,
  { owner_id, direct }: Customer,
  { row, rated, digest }: { readonly row: CallRow; readonly rated: CallRow; readonly digest: string },
): CallChange {
  const day = dayOf(row.calldate, book.settings.Timezone)
  const version = (before?.version ?? 0) + 1
  return {
    before,
    after: { ...rated, owner_id, direct, day, digest, rated: payersRated(book, row, rated), version },
  }
}

/** The value of the column `rated`: the payers whose prices this service made for a call that came as `row`. */
function payersRated({ internal }: RateBook, row: CallRow, rated: CallRow): string {
  if (row.user_price !== undefined || row.incoming) return ''
  if (internal.has(row.dst)) return INTERNAL
  return PAYERS.filter(
    (payer) => row[`${payer}_price`] === undefined && rated[`${payer}_price`] !== undefined,
  ).join(' ')
}

/** A row of a dataset or a message of the queue, with the digest of its cells. */
export interface CallRecord {
  readonly row: CallRow & { readonly owner_id?: number | undefined }
  readonly digest: string
}

/**
 * Rates the calls of these records and stores them together with their counters. Returns the outcome of each record. The last
 * record of a call that can be rated wins, as if the records came one by one. `isNew` tells which records are expected to be
 * calls that are not stored: those are not read first.
 */
export async function writeCalls(
  store: Store,
  records: readonly CallRecord[],
  isNew: (record: CallRecord) => boolean,
): Promise<RowOutcome[]> {
  const book = await openRateBook(
    store,
    records.map(({ row }) => row),
  )
  const calls = [...groupBy(records, ({ row }) => identityName(row)).values()]
  const decide = (seen: readonly SeenCall<CallRecord[]>[]) =>
    pMap(seen, (one) => rateLatest(book, one), { concurrency: MAX_PARALLEL_RATINGS })
  const decided = await changeCalls(
    store,
    calls,
    { identityOf: ([record]) => record?.row as CallRow, isNew: (call) => call.every(isNew) },
    decide,
  )
  const outcomes = new Map(
    calls.flatMap((call) => call.map((record) => [record, outcomeOf(record, decided.get(call))] as const)),
  )
  return records.map((record) => outcomes.get(record) ?? 'unchanged')
}

export const MAX_PARALLEL_RATINGS = 16

/** The decision about the records of one call, and the reasons to refuse some of them. */
interface RatingDecision extends Decision {
  readonly refused: ReadonlyMap<CallRecord, string>
}

function outcomeOf(record: CallRecord, decision: RatingDecision | undefined): RowOutcome {
  if (!decision) return { refused: KEPT_CHANGING }
  const reason = decision.refused.get(record)
  if (reason !== undefined) return { refused: reason }
  return decision.change ? kindAfter(decision.change.before) : 'unchanged'
}

async function rateLatest(
  book: RateBook,
  { group, before }: SeenCall<CallRecord[]>,
): Promise<RatingDecision> {
  const refused = new Map<CallRecord, string>()
  for (const record of group.toReversed()) {
    const change = await changeTo(book, record, before).catch(reasonIn)
    if (typeof change !== 'string') return { refused, change }
    refused.set(record, change)
  }
  return { refused }
}

/** Tells whether a call came with these cells, or has these values. A blank owner is the one that the call has. */
export function isStoredRecord({ row, digest }: CallRecord, before: Call | undefined): boolean {
  const { owner_id = before?.owner_id, ...others } = row
  return before?.digest === digest || isStoredRow({ ...others, owner_id }, before)
}

/** The change that a record makes; `undefined` for a duplicate. Throws RowRefused if it cannot be rated. */
async function changeTo(
  book: RateBook,
  { row, digest }: CallRecord,
  before: Call | undefined,
): Promise<CallChange | undefined> {
  if (isStoredRecord({ row, digest }, before)) return undefined
  if (before && row.source !== undefined && !isSameCall(before, row)) throw new RowRefused(ID_USED)
  const customer = await customerOf(book, row, before)
  const rated = await rateCall(book, row, customer)
  return callChange(book, before, customer, { row, rated, digest })
}

/** Tells a correction from another call under the same id: a switch that restarts its numbering must not overwrite calls. */
export const isSameCall = (before: CallRow, { calldate, src, dst }: CallRow): boolean =>
  before.calldate === calldate && before.src === src && before.dst === dst
