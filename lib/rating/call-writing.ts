import pMap from 'p-map'
import { dayOf } from '#lib/domain/calendar.ts'
import { groupBy } from '#lib/domain/collections.ts'
import { isBelowCost } from '#lib/domain/rates/below-cost.ts'
import {
  ID_USED,
  KEPT_CHANGING,
  kindAfter,
  type Outcome,
  RowRefused,
  reasonIn,
} from '#lib/domain/row-refused.ts'
import { type Call, type CallRow, findCalls } from '#lib/store/calls/call.ts'
import { type CallChange, storeCalls } from '#lib/store/calls/call-storage.ts'
import { callKeys } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { madeHere, rateCall } from './call-rating.ts'
import { customerOf, openRateBook, type RateBook } from './rate-book.ts'

/** A record of a call, and the digest by which the same record is known again. */
export interface CallRecord {
  readonly row: CallRow & { readonly owner_id?: number | undefined }
  readonly digest: string
}

/** A call is changed by others between being read and written; hardly anybody gets to the third attempt. */
const ATTEMPTS = 20

/**
 * Rates the calls of these records and stores them together with their counters. Answers what came of each record. Of
 * several records of one call the last one that can be rated counts, as it would if they came one by one.
 */
export async function writeCalls(store: Store, records: readonly CallRecord[]): Promise<Outcome[]> {
  const book = await openRateBook(
    store,
    records.map(({ row }) => row),
  )
  const outcomes = new Map<CallRecord, Outcome>()
  let pending = [...groupBy(records, ({ row }) => callKeys.item(row).SK + row.uniqueid).values()]
  for (let attempts = ATTEMPTS; pending.length > 0 && attempts > 0; attempts -= 1) {
    const rated = await rateCalls(book, pending)
    const missed = new Set(
      await storeCalls(
        store,
        rated.flatMap(({ change }) => change ?? []),
      ),
    )
    const isMissed = ({ change }: RatedCall) => change !== undefined && missed.has(change)
    const stored = rated.flatMap((call) => (call.change && !isMissed(call) ? [call.change.after] : []))
    store.meter.note('below_cost', stored.filter(isBelowCost).length)
    for (const call of rated) {
      for (const record of call.records) outcomes.set(record, outcomeOf(record, call, isMissed(call)))
    }
    pending = rated.filter(isMissed).map((call) => call.records)
  }
  return records.map((record) => outcomes.get(record) ?? 'unchanged')
}

/** What is to be stored of the records of one call; `change` is missing where the call is stored already. */
interface RatedCall {
  readonly records: CallRecord[]
  /** Reasons by record. */
  readonly refused: ReadonlyMap<CallRecord, string>
  readonly change?: CallChange | undefined
}

function outcomeOf(record: CallRecord, { refused, change }: RatedCall, isMissed: boolean): Outcome {
  const reason = refused.get(record)
  if (reason !== undefined) return { refused: reason }
  if (isMissed) return { refused: KEPT_CHANGING }
  return change ? kindAfter(change.before) : 'unchanged'
}

const RATED_AT_ONCE = 16

async function rateCalls(book: RateBook, recorded: readonly CallRecord[][]): Promise<RatedCall[]> {
  const identities = recorded.flatMap(([record]) => record?.row ?? [])
  const known = await findCalls(book.store, identities)
  const rateOne = (records: CallRecord[], position: number) => rateLast(book, records, known[position])
  return pMap(recorded, rateOne, { concurrency: RATED_AT_ONCE })
}

async function rateLast(book: RateBook, records: CallRecord[], before: Call | undefined): Promise<RatedCall> {
  const refused = new Map<CallRecord, string>()
  for (const record of [...records].reverse()) {
    const change = await changeTo(book, record, before).catch(reasonIn)
    if (typeof change !== 'string') return { records, refused, change }
    refused.set(record, change)
  }
  return { records, refused }
}

/** What a record makes of a call; `undefined` when it is stored as it is. Throws RowRefused when it cannot be rated. */
async function changeTo(
  book: RateBook,
  { row, digest }: CallRecord,
  before: Call | undefined,
): Promise<CallChange | undefined> {
  if (before?.digest === digest) return undefined
  if (before && row.source !== undefined && !isSameCall(before, row)) throw new RowRefused(ID_USED)
  const customer = await customerOf(book, row, before)
  const { owner_id, direct } = customer
  const rated = await rateCall(book, row, customer)
  const day = dayOf(row.calldate, book.settings.Timezone)
  const version = (before?.version ?? 0) + 1
  return { before, after: { ...rated, owner_id, direct, day, digest, rated: madeHere(row, rated), version } }
}

/** A switch that starts its numbering anew must not overwrite the calls of before. */
const isSameCall = (before: Call, { calldate, src, dst }: CallRow): boolean =>
  before.calldate === calldate && before.src === src && before.dst === dst
