import pMap from 'p-map'
import type { Seconds } from '#lib/base/calendar.ts'
import {
  ID_USED,
  isStoredRow,
  KEPT_CHANGING,
  kindAfter,
  type RowKind,
  type RowOutcome,
} from '#lib/base/row-refused.ts'
import type { Store } from '#lib/table/store.ts'
import type { Call } from '../call.ts'
import {
  type CallVersion,
  changeCalls,
  isSameCall,
  type Latest,
  latestRatable,
  leavesArchivedDay,
  type RatingObstacle,
  ratedChange,
  type SeenCall,
  seenCalls,
} from './change-calls.ts'
import { MAX_PARALLEL_RATINGS, openRateBook, type RateBook } from './rate-book.ts'

/**
 * Rates the calls of these records and stores them together with their counters. Returns the outcome of each
 * record. The last record of a call that can be rated wins, as if the records came one by one. `isNew` tells
 * which records are expected to be calls that are not stored: those are not read first.
 */
export async function writeCalls(
  store: Store,
  records: readonly CallVersion[],
  isNew: (record: CallVersion) => boolean,
  now?: Seconds,
): Promise<RowOutcome[]> {
  const rows = records.map(({ row }) => row)
  const book = await openRateBook(store, rows)
  const calls = await seenCalls(store, records, isNew)
  const decided = await changeCalls(
    { store, settings: book.settings, now },
    calls,
    (open) => pMap(open, (call) => decideRecords(book, call), { concurrency: MAX_PARALLEL_RATINGS }),
    // A record that is left is refused: the others of its batch are stored.
    () => {},
  )
  const outcomes = new Map(calls.flatMap(({ input }) => outcomesOf(input, decided.get(input))))
  return records.map((record) => outcomes.get(record) ?? 'unchanged')
}

type RecordDecision = Latest<CallVersion, RecordProblem>

/** `id_used`: a switch's id belongs to another call. `archived_day`: archived under another day. */
interface RecordProblem {
  readonly reason: RatingObstacle['reason'] | 'id_used' | 'archived_day'
  readonly detail: string
}

const OTHER_CALL: RecordProblem = { reason: 'id_used', detail: ID_USED }

export const decideRecords = (
  book: RateBook,
  { input, before }: SeenCall<readonly CallVersion[]>,
): Promise<RecordDecision> =>
  latestRatable(input, async (record) => {
    if (isStoredRecord(record, before)) return undefined
    const isOther = before && record.row.source !== undefined && !isSameCall(before, record.row)
    if (isOther) return OTHER_CALL
    const change = await ratedChange(book, record, before)
    if ('reason' in change || !leavesArchivedDay(change, book.settings)) return change
    const detail = `calldate: the stored call of ${change.before?.day} is archived, and keeps its day`
    return { reason: 'archived_day', detail }
  })

/** The outcomes as if the records came one by one: only the first one can be new. */
function outcomesOf(
  input: readonly CallVersion[],
  decision: RecordDecision | undefined,
): (readonly [CallVersion, RowOutcome])[] {
  let earlier: CallVersion | undefined
  return input.map((record) => {
    const outcome = outcomeOf(record, decision)
    if (typeof outcome === 'object') return [record, outcome]
    const repeated = earlier && outcome !== 'unchanged' ? repeatedKind(earlier, record) : outcome
    earlier = record
    return [record, repeated]
  })
}

/** The kind of a record after an accepted one of the same call. */
const repeatedKind = (earlier: CallVersion, { digest }: CallVersion): RowKind =>
  earlier.digest === digest ? 'unchanged' : 'changed'

function outcomeOf(record: CallVersion, decision: RecordDecision | undefined): RowOutcome {
  if (!decision) return { refused: KEPT_CHANGING }
  const problem = decision.refused.get(record)
  if (problem) return { refused: problem.detail }
  return decision.change ? kindAfter(decision.change.before) : 'unchanged'
}

/** Whether a call came with these cells or has these values. A blank owner is the stored one. */
export function isStoredRecord({ row, digest }: CallVersion, before: Call | undefined): boolean {
  const { owner_id = before?.owner_id, ...others } = row
  return before?.digest === digest || isStoredRow({ ...others, owner_id }, before)
}
