import type { Seconds } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { add, type Money, ZERO } from '#lib/base/money.ts'
import type { Call } from '#lib/calls/call.ts'
import type { RateBook } from '#lib/calls/rating/rate-book.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { hasWritten, TooMuchContention } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { findHolds, type Hold, type Holds, holdName, readHold, releaseUpdate, storedName } from './holds.ts'
import { mayHaveHolds } from './limited.ts'
import { hangupMargin } from './plan.ts'

/** The end of an answered call, for one of its payers. */
export interface EndedCall {
  readonly accountId: number
  /** The attribute of its hold. */
  readonly name: string
  /** On the switch's clock, as its end. */
  readonly start: Seconds
  readonly end: Seconds
  readonly billsec: number
  /** The column of the stored call: the holds that it may release. */
  readonly heldAt: string | undefined
}

/** The holds of each payer, as read before the charge. */
export type SeenHolds = ReadonlyMap<number, Holds>

/** An answered call that is to be stored, or is stored, for each payer with a limit. */
export async function endedCallsOf({ settings, accounts }: RateBook, call: Call): Promise<EndedCall[]> {
  const { user_id, owner_id, direct, calldate, duration, billsec, held_at: heldAt } = call
  const payers = direct ? [user_id] : [user_id, owner_id]
  const known = await accounts(payers)
  return payers
    .filter((id) => {
      const account = known.get(id)
      return account && mayHaveHolds(account, settings)
    })
    .map((accountId) => ({
      accountId,
      name: holdName(call),
      start: calldate,
      end: calldate + duration,
      billsec,
      heldAt,
    }))
}

/** The holds of the payers of calls, to be read before these are charged. */
export async function seeHolds(store: Store, calls: readonly EndedCall[]): Promise<SeenHolds> {
  const ids = [...new Set(calls.map(({ accountId }) => accountId))]
  const found = ids.length === 0 ? [] : await findHolds(store, ids)
  return new Map(found.map((holds, index) => [ids[index] as number, holds]))
}

/** A call that is charged without a hold of its own. */
const NO_HOLD = '-'

/**
 * The column `held_at` of a call that is charged now: when its holds were requested, in milliseconds. A hold
 * is its own if it was requested before the call ended. The clocks of both may differ by Clock_Tolerance.
 */
export function heldAtOf(
  { Clock_Tolerance = 120 }: Pick<Settings, 'Clock_Tolerance'>,
  calls: readonly EndedCall[],
  seen: SeenHolds,
): string {
  const moments = calls.flatMap(({ accountId, name, end }) => {
    const holds = seen.get(accountId)
    const text = holds?.texts.get(storedName(holds, name))
    const at = text === undefined ? undefined : readHold(text).at
    return at !== undefined && isAtMost(at, end + Clock_Tolerance) ? [at] : []
  })
  return [...new Set(moments)].join(' ') || NO_HOLD
}

/**
 * The seconds from the request of a hold to the end of its call, where that is so long before it that the
 * hold is kept; `undefined` for others. The switch has a wrong clock or zone, or uses its ids again.
 */
export function endedBeforeHold(calls: readonly EndedCall[], seen: SeenHolds): Seconds | undefined {
  for (const { accountId, name, end, heldAt } of calls) {
    const holds = seen.get(accountId)
    const text = holds?.texts.get(storedName(holds, name))
    if (text !== undefined && heldAt === NO_HOLD) return end - Math.floor(readHold(text).at / 1000)
  }
  return undefined
}

const isAtMost = (milliseconds: number, end: Seconds): boolean => Math.floor(milliseconds / 1000) <= end

/**
 * Returns whether a hold under the name of a call is its own. A call that comes again releases no hold of a
 * later call under its id, and one that had none only a hold from before its start. For a call that was
 * stored without a look at its holds, the clocks decide.
 */
function isOfCall({ start, end, heldAt }: EndedCall, { at }: Hold): boolean {
  if (heldAt === undefined) return isAtMost(at, end)
  return heldAt === NO_HOLD ? isAtMost(at, start) : heldAt.split(' ').includes(String(at))
}

interface Settling {
  readonly store: Store
  readonly now: Seconds
  readonly settings: Settings
}

/** The conditions of an update are limited to 300 operators. */
const MOST_RELEASED = 100

/** Another writer may change the holds between reading and writing. */
const MAX_ATTEMPTS = 20

/** Releases the holds of calls that are charged by now. Throws TooMuchContention if they keep changing. */
export async function settle(
  settling: Settling,
  calls: readonly EndedCall[],
  seen: SeenHolds,
): Promise<void> {
  for (const [id, ofAccount] of Map.groupBy(calls, ({ accountId }) => accountId)) {
    for (const some of slices(
      Map.groupBy(ofAccount, ({ name }) => name),
      MOST_RELEASED,
    )) {
      const ended = new Map(some)
      const ownCall = (hold: Hold, name: string) => ended.get(name)?.find((call) => isOfCall(call, hold))
      const isOwn: IsOwn = (hold, name) => ownCall(hold, name) !== undefined
      const released = await releaseMatching(settling.store, id, [...ended.keys()], isOwn, seen.get(id))
      for (const [name, hold] of released) note(settling, hold, ownCall(hold, name))
    }
  }
}

function note({ store: { meter }, now, settings }: Settling, hold: Hold, call: EndedCall | undefined): void {
  meter.note('late_after_hold', Number(hold.until < now))
  meter.note('overrun', Number((call?.billsec ?? 0) > hold.seconds + hangupMargin(settings)))
}

/** Releases an unanswered call's hold, if requested before this moment (ms). Returns its amount. */
export async function release(store: Store, accountId: number, name: string, at: number): Promise<Money> {
  const released = await releaseMatching(store, accountId, [name], (hold) => hold.at <= at)
  return add(ZERO, ...[...released.values()].map(({ amount }) => amount))
}

/** Returns whether a hold under the name of a call is the one of that call. */
type IsOwn = (hold: Hold, name: string) => boolean

/** Returns the holds that it has released, by name. */
async function releaseMatching(
  store: Store,
  accountId: number,
  names: readonly string[],
  isOwn: IsOwn,
  known?: Holds,
): Promise<ReadonlyMap<string, Hold>> {
  let holds = known
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    holds ??= (await findHolds(store, [accountId]))[0]
    const own = holds ? ownAmong(holds, names, isOwn) : []
    const released = new Map(own.map(({ name, text }) => [name, readHold(text)]))
    if (own.length === 0) return released
    const texts = new Map(own.map(({ stored, text }) => [stored, text]))
    const { update, to, when } = releaseUpdate(accountId, texts)
    if (await hasWritten(store.update(update, to, when))) return released
    holds = undefined
  }
  throw new TooMuchContention(`the holds of account ${accountId} kept changing`)
}

const ownAmong = (holds: Holds, names: readonly string[], isOwn: IsOwn) =>
  names.flatMap((name) => {
    const stored = storedName(holds, name)
    const text = holds.texts.get(stored)
    return text !== undefined && isOwn(readHold(text), name) ? [{ name, stored, text }] : []
  })
