import pMap from 'p-map'
import { dayOf } from '#lib/domain/calendar.ts'
import { groupBy } from '#lib/domain/collections.ts'
import { isBelowCost } from '#lib/domain/rates/rating.ts'
import {
  ID_USED,
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

/** The decision about one call; without a change it stays as it is. */
interface Decision {
  readonly change?: CallChange | undefined
}

/** The records that came for one call, and the call that is stored. */
export interface Seen<G> {
  readonly group: G
  readonly before: Call | undefined
}

/** Another writer may change a call between its reading and its writing; hardly any call needs a third attempt. */
const ATTEMPTS = 20

/**
 * Changes calls as `decide` wishes, seeing what is stored. Each change names the version it has seen: where that has
 * changed meanwhile, the call is read and decided about again. Returns the decision that holds for each group; a group
 * whose call changed at every attempt has none.
 */
export async function changeCalls<G, D extends Decision>(
  store: Store,
  groups: readonly G[],
  identityOf: (group: G) => CallIdentity,
  decide: (seen: readonly Seen<G>[]) => Promise<D[]>,
): Promise<Map<G, D>> {
  const decided = new Map<G, D>()
  let open = groups
  for (let attempts = ATTEMPTS; open.length > 0 && attempts > 0; attempts -= 1) {
    const known = await findCalls(store, open.map(identityOf))
    const decisions = await decide(open.map((group, place) => ({ group, before: known[place] })))
    const changes = decisions.flatMap(({ change }) => change ?? [])
    const missed = new Set<CallChange | undefined>(await storeCalls(store, changes))
    for (const [place, decision] of decisions.entries()) {
      if (!missed.has(decision.change)) decided.set(open[place] as G, decision)
    }
    open = open.filter((group) => !decided.has(group))
  }
  const stored = [...decided.values()].flatMap(({ change }) => change?.after ?? [])
  store.meter.note('below_cost', stored.filter(isBelowCost).length)
  return decided
}

/** The same for every record of one call, and for no other call. A unique id has no blanks. */
export const identityName = (identity: CallIdentity): string => {
  const { PK, SK } = callKeys.item(identity)
  return `${PK} ${SK}`
}

/** A call to be stored in place of `before`, with its prices. */
export function changeOf(
  book: RateBook,
  before: Call | undefined,
  { owner_id, direct }: Customer,
  { row, rated, digest }: { readonly row: CallRow; readonly rated: CallRow; readonly digest: string },
): CallChange {
  const day = dayOf(row.calldate, book.settings.Timezone)
  const version = (before?.version ?? 0) + 1
  return {
    before,
    after: { ...rated, owner_id, direct, day, digest, rated: madeHere(book, row, rated), version },
  }
}

/** The payers whose prices were made here, of a call that came as `row`. */
function madeHere({ internal }: RateBook, row: CallRow, rated: CallRow): string {
  if (row.user_price !== undefined) return ''
  if (internal.has(row.dst)) return INTERNAL
  return PAYERS.filter(
    (payer) => row[`${payer}_price`] === undefined && rated[`${payer}_price`] !== undefined,
  ).join(' ')
}

/** A row of a dataset, or a message of the queue, and the digest by which the same row is known again. */
export interface CallRecord {
  readonly row: CallRow & { readonly owner_id?: number | undefined }
  readonly digest: string
}

/**
 * Rates the calls of these records and stores them together with their counters. Answers what came of each record. Of
 * several records of one call the last one that can be rated counts, as it would if they came one by one.
 */
export async function writeCalls(store: Store, records: readonly CallRecord[]): Promise<RowOutcome[]> {
  const book = await openRateBook(
    store,
    records.map(({ row }) => row),
  )
  const calls = [...groupBy(records, ({ row }) => identityName(row)).values()]
  const decide = (seen: readonly Seen<CallRecord[]>[]) =>
    pMap(seen, (one) => rateLast(book, one), { concurrency: RATED_AT_ONCE })
  const decided = await changeCalls(store, calls, ([record]) => record?.row as CallRow, decide)
  const outcomes = new Map(
    calls.flatMap((call) => call.map((record) => [record, outcomeOf(record, decided.get(call))] as const)),
  )
  return records.map((record) => outcomes.get(record) ?? 'unchanged')
}

export const RATED_AT_ONCE = 16

/** The decision about the records of one call, and why some of them are refused. */
interface RatedCall extends Decision {
  readonly refused: ReadonlyMap<CallRecord, string>
}

function outcomeOf(record: CallRecord, decision: RatedCall | undefined): RowOutcome {
  if (!decision) return { refused: KEPT_CHANGING }
  const reason = decision.refused.get(record)
  if (reason !== undefined) return { refused: reason }
  return decision.change ? kindAfter(decision.change.before) : 'unchanged'
}

async function rateLast(book: RateBook, { group, before }: Seen<CallRecord[]>): Promise<RatedCall> {
  const refused = new Map<CallRecord, string>()
  for (const record of group.toReversed()) {
    const change = await changeTo(book, record, before).catch(reasonIn)
    if (typeof change !== 'string') return { refused, change }
    refused.set(record, change)
  }
  return { refused }
}

/** The change that a record makes; `undefined` if the call is stored with it. Throws RowRefused if it cannot be rated. */
async function changeTo(
  book: RateBook,
  { row, digest }: CallRecord,
  before: Call | undefined,
): Promise<CallChange | undefined> {
  if (before?.digest === digest) return undefined
  if (before && row.source !== undefined && !isSameCall(before, row)) throw new RowRefused(ID_USED)
  const customer = await customerOf(book, row, before)
  const rated = await rateCall(book, row, customer)
  return changeOf(book, before, customer, { row, rated, digest })
}

/** A switch that starts its numbering again must not overwrite earlier calls. */
export const isSameCall = (before: CallRow, { calldate, src, dst }: CallRow): boolean =>
  before.calldate === calldate && before.src === src && before.dst === dst
