import { isCharged } from '#lib/base/balance.ts'
import { type Day, dayOf, type Seconds } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { paired } from '#lib/base/collections.ts'
import { ZERO } from '#lib/base/money.ts'
import { isRefusal } from '#lib/base/refusal.ts'
import { type Watch, watchBalances } from '#lib/billing/notifications/watched-balances.ts'
import { isBelowCost } from '#lib/rates/rating.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { knownArchive } from '#lib/table/call-archive.ts'
import { TooMuchContention } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { type Call, type CallRow, findCalls, identityName, readCall } from '../call.ts'
import { type CallTable, storeCalls } from '../call-storage.ts'
import type { CallChange } from '../counted-change.ts'
import { chargedOn } from '../counters/call-stats.ts'
import { type FraudSettings, watchCountries } from '../counters/country-hours.ts'
import { isArchivedDay, isArchivedMoment, type Retention } from '../retention.ts'
import { freeReason, type PriceColumns, ratePayers, unpricedPayers } from './call-rating.ts'
import { unpricedReason } from './number-of-call.ts'
import { PAYERS } from './price-changes.ts'
import { customerOf, type RateBook, refuseFormerOwner, watchedAmong } from './rate-book.ts'

// Decide: which version of a call is stored, with its prices

const RATING_OBSTACLES = ['blocked_destination', 'former_owner', 'ambiguous_number', 'unreadable'] as const

export interface RatingObstacle {
  readonly reason: 'unknown_rate' | (typeof RATING_OBSTACLES)[number]
  readonly detail: string
}

/** The obstacle that rating threw, for a `catch`. Throws every other error again. */
export function obstacleIn(error: unknown): RatingObstacle {
  if (!isRefusal(error, 'refused_row')) throw error
  const reason = RATING_OBSTACLES.find((one) => one === error.values.reason) ?? 'unknown_rate'
  return { reason, detail: error.message }
}

export interface Latest<V, P> {
  /** `undefined` if the call stays as it is. */
  readonly change: CallChange | undefined
  /** The accepted version, and those before it, which it corrects; empty if no version can be stored. */
  readonly accepted: readonly V[]
  readonly refused: ReadonlyMap<V, P>
}

/**
 * The last version that can be rated replaces all earlier ones of a call. `changeTo` is called in order. It
 * returns a version's change, `undefined` if it is stored already, or why it cannot be stored.
 */
export async function latestRatable<V, P extends { readonly reason: string }>(
  versions: readonly V[],
  changeTo: (version: V) => Promise<CallChange | P | undefined>,
): Promise<Latest<V, P>> {
  const refused = new Map<V, P>()
  for (const [index, version] of [...versions.entries()].toReversed()) {
    const change = await changeTo(version)
    if (!(change && 'reason' in change)) return { change, accepted: versions.slice(0, index + 1), refused }
    refused.set(version, change)
  }
  return { change: undefined, accepted: [], refused }
}

/** A version of a call, as a CDR or a row of a dataset brings it. */
export interface CallVersion {
  readonly row: CallRow & { readonly owner_id?: number | undefined }
  /** Equal for versions with equal contents. */
  readonly digest: string
}

/**
 * The change that stores a version in place of `before`, with prices if it has none, or why it cannot be
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
    if (row.owner_id === undefined && before?.user_id !== row.user_id) refuseFormerOwner(customer, row)
    const { owner_id, direct } = customer
    const free = isPriced ? undefined : await freeReason(book, row, customer)
    const payers = isPriced ? [] : unpricedPayers(row)
    const prices = free ? { user_price: ZERO } : await ratePayers(book, row, customer, payers)
    const rated = { ...row, ...prices, owner_id, direct, rated: free ?? payersIn(prices) }
    const charged = chargedDay(dayOf(row.calldate, Timezone), book.settings, before)
    const kept = { ...charged, held_at: before?.held_at }
    const watched = watchedAmong(book, customer)
    return { before, watched, after: { ...rated, ...kept, digest, version: (before?.version ?? 0) + 1 } }
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

/** The table whose calls are changed, and which of them are in its archive. */
export interface ChangedTable {
  readonly store: Store
  readonly settings: Retention &
    CallTable['settings'] &
    Pick<Settings, 'Feature_Codes'> &
    Watch['settings'] &
    FraudSettings
  /** The time of the batch; missing for that of this process. */
  readonly now?: Seconds | undefined
}

/** A call to find. Its start gives the day whose archive may have it. */
type SoughtCall = CallIdentity & Pick<Call, 'calldate'>

/** A call to decide: its incoming versions, and the stored call. */
export interface SeenCall<T> {
  /** Its start decides whether its day is archived. */
  readonly identity: SoughtCall
  readonly input: T
  /** The stored call; `undefined` if none is stored, or none is expected. */
  readonly before: Call | undefined
}

/** The decision about one call. Without `change` the call stays as it is. */
export interface Decision {
  readonly change?: CallChange | undefined
}

/** Another writer may change a call between reading and writing. Hardly any call needs a third attempt. */
const MAX_ATTEMPTS = 20

/**
 * The one way to change calls: decides each call, stores the changes with their counters, and decides again
 * from the present state if another writer changed it. Calls of archived days are compared with the archive.
 * `decide` receives all open calls at once and returns their decisions in order. Returns the valid decisions,
 * keyed by input. `onContention` receives the calls that changed at every attempt: by default it throws.
 *
 * @example
 * const writeComments = (table: ChangedTable, calls: readonly SeenCall<string>[]) =>
 *   changeCalls(table, calls, async (open) =>
 *     open.map(({ input, before }) => ({
 *       change: before && { before, after: { ...before, comments: input } },
 *     })),
 *   )
 */
export async function changeCalls<T, D extends Decision>(
  table: ChangedTable,
  calls: readonly SeenCall<T>[],
  decide: (open: readonly SeenCall<T>[]) => Promise<readonly D[]>,
  onContention: (call: SeenCall<T>) => void = throwContention,
): Promise<Map<T, D>> {
  const { settings } = table
  const decided = new Map<T, D>()
  let open = await withArchived(table, calls)
  for (let attempts = 0; open.length > 0 && attempts < MAX_ATTEMPTS; attempts += 1) {
    const decisions = (await decide(open)).flatMap((decision, index) => {
      const { change } = decision
      const call = open[index]
      return call ? [{ call, decision, change: change && withLateness(change, settings) }] : []
    })
    const changes = decisions.flatMap(({ change }) => change ?? [])
    const missed = new Set<CallChange | undefined>(await storeCalls(table, changes))
    for (const { call, decision, change } of decisions)
      if (!missed.has(change)) decided.set(call.input, decision)
    const left = open.filter(({ input }) => !decided.has(input))
    open = await seenNow(table, left)
  }
  noteStored(table, [...decided.values()])
  await watchPayers(table, [...decided.values()])
  const stored = [...decided.values()].flatMap(({ change }) => change ?? [])
  await watchCountries(
    table,
    stored.flatMap(({ before, after }) => (before ? [] : [after])),
  )
  open.forEach(onContention)
  return decided
}

/** Once a batch, and only for payers with a subscriber. */
async function watchPayers(
  { store, settings, now }: ChangedTable,
  decisions: readonly Decision[],
): Promise<void> {
  const ids = decisions.flatMap(({ change }) => change?.watched ?? [])
  const at = now === undefined ? new Date() : new Date(now * 1000)
  const spentOn: Watch['spentOn'] = (account, day) => chargedOn(store, day, account)
  if (ids.length > 0) await watchBalances({ store, settings, now: at, spentOn }, ids)
}

const withLateness = (change: CallChange, settings: Retention): CallChange =>
  isArchivedDay(change.after.day, settings) ? { ...change, isOfArchivedDay: true } : change

function throwContention({ identity: { uniqueid } }: SeenCall<unknown>): never {
  throw new TooMuchContention(`call ${uniqueid}: other writers changed it at each attempt; try again`)
}

/** The incoming versions of each call, with the stored call. A call with only new versions is not read. */
export async function seenCalls<V extends { readonly row: SoughtCall }>(
  store: Store,
  versions: readonly V[],
  isNew: (version: V) => boolean = () => false,
): Promise<SeenCall<readonly V[]>[]> {
  const groups = [...Map.groupBy(versions, ({ row }) => identityName(row)).values()]
  const calls = groups.flatMap((input) => (input[0] ? [{ identity: input[0].row, input }] : []))
  const known = calls.filter(({ input }) => !input.every(isNew)).map(({ identity }) => identity)
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
  const seen = calls.map((call) => ({ ...call, before: stored.get(call.identity) }))
  return withArchived(table, seen)
}

/** Finds calls in the table, and those of archived days in the archive, in the identities' order. */
export async function findStoredCalls(
  table: ChangedTable,
  sought: readonly SoughtCall[],
): Promise<(Call | undefined)[]> {
  const calls = sought.map((identity) => ({ identity, input: identity, before: undefined }))
  return (await seenNow(table, calls)).map(({ before }) => before)
}

/** The calls that were read from the table, and those of the archive. */
async function withArchived<T>(
  table: ChangedTable,
  calls: readonly SeenCall<T>[],
): Promise<readonly SeenCall<T>[]> {
  const missing = calls.filter(({ before }) => !before).map(({ identity }) => identity)
  const archived = await findArchivedCalls(table, missing)
  return calls.map((call) => ({ ...call, before: call.before ?? archived.get(identityName(call.identity)) }))
}

function noteStored({ store: { meter }, settings }: ChangedTable, decisions: readonly Decision[]): void {
  const stored = decisions.flatMap(({ change }) => (change ? [change.after] : []))
  meter.note('calls_stored', stored.length)
  meter.note('below_cost', stored.filter(isBelowCost).length)
  for (const call of stored) {
    const reason = unpricedReason(call, settings)
    if (reason) meter.note(`unpriced_${reason}`, 1)
  }
}

/** The archived calls, by name. Throws Refusal if the archive is needed and unknown. */
async function findArchivedCalls(
  { store, settings }: ChangedTable,
  sought: readonly SoughtCall[],
): Promise<ReadonlyMap<string, Call>> {
  const late = sought.filter(({ calldate }) => isArchivedMoment(calldate, settings))
  const archived = new Map<string, Call>()
  for (const [day, ofDay] of Map.groupBy(late, ({ calldate }) => dayOf(calldate, settings.Timezone))) {
    const found = (await knownArchive(store, day).find(day, ofDay)).map(readCall)
    for (const call of found) archived.set(identityName(call), call)
  }
  return archived
}
