import type { Seconds } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { add, type Money, ZERO } from '#lib/base/money.ts'
import type { Call } from '#lib/calls/call.ts'
import type { RateBook } from '#lib/calls/rating/rate-book.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { hasWritten, TooMuchContention } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { findHolds, type Hold, type Holds, holdName, readHold, releaseUpdate } from './holds.ts'
import { isLimited } from './limited.ts'
import { hangupMargin } from './plan.ts'

/** The end of a stored call, for one of its payers. */
export interface EndedCall {
  readonly accountId: number
  /** The attribute of its hold. */
  readonly name: string
  /** On the switch's clock. */
  readonly end: Seconds
  readonly billsec: number
}

/** An answered call that is stored, for each payer with a limit. */
export async function endedCallsOf({ settings, accounts }: RateBook, call: Call): Promise<EndedCall[]> {
  const { user_id, owner_id, direct, calldate, duration, billsec } = call
  const payers = direct ? [user_id] : [user_id, owner_id]
  const known = await accounts(payers)
  return payers
    .filter((id) => {
      const account = known.get(id)
      return account && isLimited(account, settings)
    })
    .map((accountId) => ({ accountId, name: holdName(call), end: calldate + duration, billsec }))
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

/**
 * Releases the holds of calls that are charged by now. A hold requested after a call's end belongs to another
 * call, or to a CDR delivered again, and stays. Throws TooMuchContention if other writers keep changing them.
 */
export async function settle(settling: Settling, calls: readonly EndedCall[]): Promise<void> {
  const { store } = settling
  const byAccount = Map.groupBy(calls, ({ accountId }) => accountId)
  const ids = [...byAccount.keys()]
  const found = await findHolds(store, ids)
  for (const [index, id] of ids.entries()) {
    const ended = new Map(byAccount.get(id)?.map((call) => [call.name, call]))
    for (const some of slices(ended, MOST_RELEASED)) {
      const sought = new Map(some.map(([name, call]) => [name, isOfCall(call)]))
      const released = await releaseMatching(store, id, sought, found[index])
      for (const [name, hold] of released) note(settling, hold, ended.get(name))
    }
  }
}

const isOfCall =
  ({ end }: EndedCall) =>
  ({ at }: Hold): boolean =>
    Math.floor(at / 1000) <= end

function note({ store: { meter }, now, settings }: Settling, hold: Hold, call: EndedCall | undefined): void {
  meter.note('late_after_hold', Number(hold.until < now))
  meter.note('overrun', Number((call?.billsec ?? 0) > hold.seconds + hangupMargin(settings)))
}

/** Releases an unanswered call's hold, if requested before this moment (ms). Returns its amount. */
export async function release(store: Store, accountId: number, name: string, at: number): Promise<Money> {
  const released = await releaseMatching(store, accountId, new Map([[name, (hold) => hold.at <= at]]))
  return add(ZERO, ...[...released.values()].map(({ amount }) => amount))
}

/** Tells whether a hold under the name of a call is the one of that call. */
type IsOwn = (hold: Hold) => boolean

/** Returns the holds that it has released, by name. */
async function releaseMatching(
  store: Store,
  accountId: number,
  sought: ReadonlyMap<string, IsOwn>,
  known?: Holds,
): Promise<ReadonlyMap<string, Hold>> {
  let holds = known
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    holds ??= (await findHolds(store, [accountId]))[0]
    const texts = textsOf(holds, sought)
    const released = new Map([...texts].map(([name, text]) => [name, readHold(text)]))
    if (texts.size === 0) return released
    const { update, to, when } = releaseUpdate(accountId, texts)
    if (await hasWritten(store.update(update, to, when))) return released
    holds = undefined
  }
  throw new TooMuchContention(`the holds of account ${accountId} kept changing`)
}

const textsOf = (holds: Holds | undefined, sought: ReadonlyMap<string, IsOwn>): Map<string, string> =>
  new Map(
    [...sought].flatMap(([name, isOwn]) => {
      const text = holds?.texts.get(name)
      return text !== undefined && isOwn(readHold(text)) ? [[name, text] as const] : []
    }),
  )
