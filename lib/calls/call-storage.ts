import { randomInt } from 'node:crypto'
import pMap from 'p-map'
import { isWanted, outboxOf } from '#lib/alerts/event.ts'
import { isCharged } from '#lib/base/balance.ts'
import { DAY_SECONDS, type Seconds, secondsOf } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { ascending, memoize } from '#lib/base/collections.ts'
import { type CallLists, countersOf } from '#lib/base/shards.ts'
import { readSettings, type Settings } from '#lib/settings/settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { keyText } from '#lib/table/keys.ts'
import {
  absent,
  absentOrIs,
  CHANGES_IN_ONE_TRANSACTION,
  type Change,
  type Conditions,
  is,
  keyOfChange,
  present,
} from '#lib/table/requests/changes.ts'
import { ConditionFailed, hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { type Call, callKeys, identityName, itemOfCall } from './call.ts'
import {
  type CallChange,
  chargesIn,
  chargesOfBatch,
  countingsOf,
  countsOf,
  nameOfCounting,
} from './counted-change.ts'
import { asFenced, type Counting, countedInStats } from './counters/call-stats.ts'
import { noteOwnersOfDays } from './counters/owners-of-days.ts'

/** The table that calls are stored in, and the settings that say over how many counters. */
export interface CallTable {
  readonly store: Store
  readonly settings: CallLists & Pick<Settings, 'shards' | 'subscribed' | 'Default_Currency'>
  /** The time of the batch; missing for that of this process. */
  readonly now?: Seconds | undefined
}

/** More would wait for their shared counters, and so would more than there are of everyone. */
const MOST_TRANSACTIONS_AT_ONCE = 4

/**
 * Stores the calls together with their counters: each transaction holds as many calls as fit and counts them
 * with one ADD for each scope and day. Returns the changes that were not stored because another writer has
 * changed their call since it was read. A crash leaves whole transactions, never a call that is not counted
 * or not charged. `fencedBefore` is how often fences have stopped these calls.
 */
export async function storeCalls(
  table: CallTable,
  changes: readonly CallChange[],
  fencedBefore = 0,
): Promise<CallChange[]> {
  const { store, settings } = table
  const outcomes: Record<BatchOutcome, CallChange[]> = { stored: [], missed: [], fenced: [] }
  const countsFor = memoize<CallChange, Counting[]>(countsOf)
  const eventsOf = memoize((change: CallChange) => endedCallEvents(table, change))
  let turn = randomInt(1024)
  const storeChain = async (chain: readonly CallChange[][]) => {
    for (const batch of chain) {
      turn += 1
      const counters = countingsOf(batch.flatMap(countsFor)).map((counting) => {
        const fence = fencedBefore < MOST_FENCES ? fenceOf(counting, batch) : undefined
        return countedInStats({ ...counting, fence }, turn, settings.shards)
      })
      const others = [...counters, ...batch.flatMap(eventsOf)]
      const puts = batch.map((change) => putOf(change, settings))
      const charges = chargesOfBatch(batch, turn)
      outcomes[await storeBatch(store, puts, [...others, ...charges])].push(...batch)
    }
  }
  await noteOwnersOfDays(
    store,
    changes.map(({ after }) => after),
    settings,
  )
  const concurrency = Math.min(MOST_TRANSACTIONS_AT_ONCE, countersOf('everyone', settings.shards.written))
  await pMap(toChains(changes, countsFor, eventsOf), storeChain, { concurrency })
  return [...outcomes.missed, ...(await storeFenced(table, outcomes.fenced, fencedBefore + 1))]
}

/** `missed`: another writer changed a call. `fenced`: Balance_From is not the one the writer knew. */
type BatchOutcome = 'stored' | 'missed' | 'fenced'

async function storeBatch(
  store: Store,
  puts: readonly Change[],
  others: readonly Change[],
): Promise<BatchOutcome> {
  try {
    await store.transact([...puts, ...others])
    return 'stored'
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    return error.failed.some((index) => index < puts.length) ? 'missed' : 'fenced'
  }
}

/** A new item has no time to live, also in place of an archived one. */
const putOf = ({ before, after, isOfArchivedDay }: CallChange, lists: CallLists): Change => ({
  put: itemOfCall(after, lists),
  when: before ? { version: (isOfArchivedDay ? absentOrIs : is)(before.version) } : { PK: absent },
})

/** A call that stays on its day keeps its charge, even if its writer knows another Balance_From. */
const isNewOnItsDay = ({ before, after }: CallChange): boolean => before?.day !== after.day

const fenceOf = ({ scope, day }: Counting, batch: readonly CallChange[]): Conditions | undefined => {
  const others = batch.filter((change) => change.after.day === day && isNewOnItsDay(change))
  if (scope !== 'everyone' || others.length === 0) return undefined
  return asFenced(others.map(({ after }) => after.charged === true))
}

/** A fence against the settings is left from an earlier Balance_From, without a call stored since. */
const MOST_FENCES = 2

/** Stores calls by the Balance_From of now. */
async function storeFenced(
  table: CallTable,
  fenced: readonly CallChange[],
  times: number,
): Promise<CallChange[]> {
  if (fenced.length === 0) return []
  const [stored = {}] = await table.store.getMany([settingsKey])
  const settings = readSettings(stored)
  const original = new Map(fenced.map((change) => [chargedBy(settings, change), change]))
  const missed = await storeCalls({ ...table, settings }, [...original.keys()], times)
  return missed.map((change) => original.get(change) ?? change)
}

const chargedBy = (settings: Settings, change: CallChange): CallChange => {
  const charged = isNewOnItsDay(change)
    ? isCharged(change.after.day, settings) || undefined
    : change.after.charged
  return { ...change, after: { ...change.after, charged } }
}

/**
 * Removes a call with its counters and charges: another stored call repeats it. Returns false, changing
 * nothing, if that one is gone or the call has changed: of two calls that repeat each other, one stays.
 */
export function removeRepeatedCall(
  { store, settings }: CallTable,
  call: Call,
  kept: CallIdentity,
): Promise<boolean> {
  const removed = [{ before: call, after: undefined }]
  const turn = randomInt(1024)
  return hasWritten(
    store.transact([
      { remove: callKeys.item(call), when: { version: is(call.version) } },
      { check: callKeys.item(kept), when: { PK: present } },
      ...countingsOf(removed.flatMap(countsOf)).map((counting) =>
        countedInStats(counting, turn, settings.shards),
      ),
      ...chargesOfBatch(removed, turn),
    ]),
  )
}

interface Batch {
  readonly changes: CallChange[]
  readonly counters: Set<string>
}

/**
 * Splits the changes into transactions that fit, calls of one customer next to each other. Transactions of
 * one chain count for the same customer, whose counter has few shards, and so follow one another.
 */
function toChains(
  changes: readonly CallChange[],
  countsFor: (change: CallChange) => readonly Counting[],
  eventsOf: (change: CallChange) => readonly Change[],
): CallChange[][][] {
  const chains: Batch[][] = []
  let last = emptyBatch()
  for (const change of [...changes].sort(byScope)) {
    const counters = new Set([
      ...countsFor(change).map(nameOfCounting),
      ...chargesIn(change).map(([id]) => `balance ${id}`),
      ...eventsOf(change).map((one) => keyText(keyOfChange(one))),
    ])
    if (chains.length === 0 || !fits(last, counters)) {
      const next = emptyBatch()
      if (countsOnSameCustomer(last, counters)) chains.at(-1)?.push(next)
      else chains.push([next])
      last = next
    }
    addTo(last, change, counters)
  }
  return chains.map((chain) => chain.map((batch) => batch.changes))
}

const emptyBatch = (): Batch => ({ changes: [], counters: new Set() })

function addTo(batch: Batch, change: CallChange, counters: ReadonlySet<string>): void {
  batch.changes.push(change)
  for (const name of counters) batch.counters.add(name)
}

const countsOnSameCustomer = ({ counters }: Batch, more: ReadonlySet<string>): boolean =>
  [...more].some((name) => name.startsWith('user') && counters.has(name))

const fits = ({ changes, counters }: Batch, more: ReadonlySet<string>): boolean =>
  changes.length + 1 + counters.size + [...more].filter((name) => !counters.has(name)).length <=
  CHANGES_IN_ONE_TRANSACTION

const byScope = ({ after: one }: CallChange, { after: other }: CallChange): number =>
  one.owner_id - other.owner_id || ascending(one.day, other.day) || one.user_id - other.user_id

/** Calls that ended earlier cause no event: they are imported, or mediated late. */
const MAX_EVENT_AGE_SECONDS = DAY_SECONDS

/** The event of a new call; none without subscribers. It has no phone number. */
function endedCallEvents({ settings, now }: CallTable, { before, after }: CallChange): Change[] {
  const {
    owner_id: owner,
    user_id: account,
    uniqueid,
    source,
    calldate,
    billsec,
    disposition,
    user_price,
  } = after
  if (before || !isWanted(settings, 'call.ended', owner)) return []
  const ended = calldate + billsec
  if (ended < (now ?? secondsOf(new Date())) - MAX_EVENT_AGE_SECONDS) return []
  const at = new Date(ended * 1000)
  const start = new Date(calldate * 1000).toISOString()
  const price = { price: user_price, currency: settings.Default_Currency }
  const data = { call: uniqueid, source, account, owner, start, seconds: billsec, disposition, ...price }
  return outboxOf(settings, { type: 'call.ended', owner, at, subject: identityName(after), data })
}
