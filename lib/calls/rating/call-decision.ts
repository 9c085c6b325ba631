import { isCharged } from '#lib/base/balance.ts'
import { type Day, dayOf } from '#lib/base/calendar.ts'
import { ZERO } from '#lib/base/money.ts'
import { RowRefused } from '#lib/base/row-refused.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Call, CallRow } from '../call.ts'
import type { CallChange } from '../counted-change.ts'
import { isArchivedDay, type Retention } from '../retention.ts'
import { freeReason, PAYERS, type PriceColumns, ratePayers, unpricedPayers } from './call-rating.ts'
import { NumberRefused } from './number-of-call.ts'
import { customerOf, DestinationBlocked, type RateBook, VersionGone, watchedAmong } from './rate-book.ts'

export interface RatingObstacle {
  readonly reason: 'unknown_rate' | 'blocked_destination' | 'version_gone' | NumberRefused['reason']
  readonly detail: string
}

/** The obstacle that rating threw, for a `catch`. Throws every other error again. */
export function obstacleIn(error: unknown): RatingObstacle {
  if (!(error instanceof RowRefused)) throw error
  const detail = error.message
  if (error instanceof NumberRefused) return { reason: error.reason, detail }
  if (error instanceof VersionGone) return { reason: 'version_gone', detail }
  return { reason: error instanceof DestinationBlocked ? 'blocked_destination' : 'unknown_rate', detail }
}

export interface Latest<V, P> {
  /** `undefined` if the call stays as it is. */
  readonly change: CallChange | undefined
  /** The version that stands, and those before it, which it corrects; empty if no version can be stored. */
  readonly standing: readonly V[]
  readonly refused: ReadonlyMap<V, P>
}

/**
 * The last version that can be rated replaces all earlier ones of a call. `changeTo` is called in order. It
 * returns a version's change, `undefined` if it is stored already, or why it cannot be stored.
 */
export async function latestRatable<V, P extends { readonly reason: string }>(
  versions: readonly V[],
  changeTo: (version: V, versions: readonly V[]) => Promise<CallChange | P | undefined>,
): Promise<Latest<V, P>> {
  const refused = new Map<V, P>()
  for (const [index, version] of [...versions.entries()].toReversed()) {
    const standing = versions.slice(0, index + 1)
    const change = await changeTo(version, standing)
    if (!(change && 'reason' in change)) return { change, standing, refused }
    refused.set(version, change)
  }
  return { change: undefined, standing: [], refused }
}

/** A version of a call, as a CDR or a row of a dataset brings it. */
export interface CallVersion {
  readonly row: CallRow & { readonly owner_id?: number | undefined }
  /** Equal for versions with equal contents. */
  readonly digest: string
}

/**
 * The change that stores a version in place of `before`, with prices if it came without, or why it cannot be
 * rated. A call that came with the customer's price was rated elsewhere and keeps its prices.
 */
export async function ratedChange(
  book: RateBook,
  { row, digest }: CallVersion,
  before: Call | undefined,
): Promise<CallChange | RatingObstacle> {
  const { Timezone } = book.settings
  const isPriced = row.user_price !== undefined
  try {
    const customer = await customerOf(book, row, before)
    const { owner_id, direct } = customer
    const free = isPriced ? undefined : await freeReason(book, row, customer)
    const payers = isPriced ? [] : unpricedPayers(row)
    const prices = free ? { user_price: ZERO } : await ratePayers(book, row, customer, payers)
    const rated = { ...row, ...prices, owner_id, direct, rated: free ?? payersIn(prices) }
    const charged = chargedDay(dayOf(row.calldate, Timezone), book.settings, before)
    const watched = watchedAmong(book, customer)
    return { before, watched, after: { ...rated, ...charged, digest, version: (before?.version ?? 0) + 1 } }
  } catch (error) {
    return obstacleIn(error)
  }
}

/** The value of the column `rated`: the payers whose prices were made here. */
const payersIn = (prices: PriceColumns): string =>
  PAYERS.filter((payer) => prices[`${payer}_price`] !== undefined).join(' ')

/** A call is charged by its day. While it stays on its day, only a change of Balance_From changes that. */
export const chargedDay = (
  day: Day,
  settings: Settings,
  before: Call | undefined,
): Pick<Call, 'day' | 'charged'> => ({
  day,
  charged: before?.day === day ? before.charged : isCharged(day, settings) || undefined,
})

/** Whether a change takes a call from its archived day: the new day's archive would not know it. */
export const leavesArchivedDay = ({ before, after }: CallChange, settings: Retention): boolean =>
  before !== undefined && before.day !== after.day && isArchivedDay(before.day, settings)

/** Tells a correction from another call under its id: a switch's restarted ids must not overwrite calls. */
export const isSameCall = (before: CallRow, { calldate, src, dst }: CallRow): boolean =>
  before.calldate === calldate && before.src === src && before.dst === dst
