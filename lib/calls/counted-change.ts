import { chargesOf } from '#lib/base/balance.ts'
import type { Day } from '#lib/base/calendar.ts'
import { add, isZero, subtract, ZERO } from '#lib/base/money.ts'
import { ADMIN_ACCOUNT, type Scope, scopeKindOf } from '#lib/base/scope.ts'
import { chargedInBalance } from '#lib/billing/balance-item.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import { type Call, ratedText } from './call.ts'
import { type Counting, callStatsKeys, markOf } from './counters/call-stats.ts'
import { addSums, furtherSumsOf, isNothing, negative, tallyOf } from './counters/statistics.ts'

// Changes of calls, and the amounts that they add to counters and balances.

/** A call to store, in place of the one that was read under its unique id. */
export interface CallChange {
  readonly before: Call | undefined
  readonly after: Call
  /** The call may have left the table, and the archive needs the change. */
  readonly isOfArchivedDay?: boolean | undefined
  /** The accounts that pay for it and get an event when their money is low. */
  readonly watched?: readonly number[]
}

/** A change as the counters and the balances see it. Without `after` the call is removed. */
type CountedChange = Pick<CallChange, 'before' | 'isOfArchivedDay'> & {
  readonly after: Call | undefined
}

/** One ADD for each scope and day; none where a replaced call counts as it did before. */
export const countingsOf = (counts: readonly Counting[]): Counting[] => merged(counts).filter(isWorthAnUpdate)

const isWorthAnUpdate = ({ tally, further = {}, late = 0, hours = {} }: Counting): boolean =>
  late > 0 || [tally, further, hours].some((sums) => !isNothing(sums))

const sumOf = (one: Counting, other: Counting): Counting => ({
  ...one,
  tally: addSums(one.tally, other.tally),
  further: addSums(one.further ?? {}, other.further ?? {}),
  late: (one.late ?? 0) + (other.late ?? 0),
  hours: addSums(one.hours ?? {}, other.hours ?? {}),
})

/**
 * The additions of a change to counters. The counts of the replaced call are subtracted where they were
 * added. A customer and an owner count the change itself, too, and everyone the change of its hour.
 */
export function countsOf({ before, after, isOfArchivedDay }: CountedChange): Counting[] {
  const added = after ? countsOfCall(after, isOfArchivedDay) : []
  const taken = (before ? countsOfCall(before) : []).map(withNegative)
  return merged([...added, ...taken])
    .map((one) => withMarks(one, { before, after }))
    .filter(isWorthAnUpdate)
    .map((one) => (one.scope === 'everyone' ? one : { ...one, further: { ...one.further, changes: 1 } }))
}

/** A change that no counter shows is marked if the sums by customer and by destination show it. */
function withMarks(one: Counting, { before, after }: CountedChange): Counting {
  const isUnseen = before && after && !isWorthAnUpdate(one) && isGroupedAlike(before, after)
  if (one.scope !== 'everyone' || isUnseen) return one
  const calls = [before, after].filter((call) => call?.day === one.day)
  return {
    ...one,
    hours: Object.fromEntries(calls.flatMap((call) => (call ? [[markOf(call.calldate), 1]] : []))),
  }
}

const isGroupedAlike = (one: Call, other: Call): boolean =>
  [one, other].map((call) => JSON.stringify(groupedBy(call))).every((text, _, texts) => text === texts[0])

const groupedBy = (call: Call) => [
  ...[
    call.user_id,
    call.calldate,
    ratedText(call),
    call.incoming,
    call.disposition,
    call.billsec,
    call.rated,
    call.origin,
    call.provider_origin,
  ],
  ...[call.user_price, call.reseller_price, call.provider_price],
]

const withNegative = (one: Counting): Counting => ({
  ...one,
  tally: negative(one.tally),
  further: negative(one.further ?? {}),
})

/** One addition for each scope and day. */
function merged(countings: readonly Counting[]): Counting[] {
  const sums = new Map<string, Counting>()
  for (const counting of countings) {
    const name = nameOfCounting(counting)
    const known = sums.get(name)
    sums.set(name, known ? sumOf(known, counting) : counting)
  }
  return [...sums.values()]
}

const countsOfCall = (call: Call, isOfArchivedDay = false): Counting[] =>
  scopesOf(call).map((scope) => ({
    scope,
    day: call.day,
    tally: tallyOf(call, scopeKindOf(scope)),
    further: furtherSumsOf(call, scopeKindOf(scope)),
    late: isOfArchivedDay && scope === 'everyone' ? 1 : 0,
  }))

/**
 * The scopes that count a call. The counters of account 0 are not needed: admins see everyone. Without them a
 * call of a direct customer costs two write units less.
 */
export const scopesOf = ({ user_id, owner_id }: Call): Scope[] => [
  { user: user_id },
  ...(owner_id === ADMIN_ACCOUNT ? [] : [{ owner: owner_id }]),
  'everyone',
]

export const nameOfCounting = ({ scope, day }: { readonly scope: Scope; readonly day: Day }): string =>
  `${scopeKindOf(scope)} ${callStatsKeys.of(scope)} ${day}`

/** Charges the balances of accounts; none where a replaced call cost the same. */
export function chargesOfBatch(batch: readonly CountedChange[], turn: number): Change[] {
  const byAccount = Map.groupBy(batch.flatMap(chargesIn), ([accountId]) => accountId)
  return [...byAccount]
    .map(([accountId, charges]) => [accountId, add(...charges.map(([, price]) => price))] as const)
    .filter(([, price]) => !isZero(price))
    .map(([accountId, price]) => chargedInBalance(accountId, price, turn))
}

/** The charges of a change. The charge of the replaced call is given back. */
export const chargesIn = ({ before, after }: CountedChange) => [
  ...(after ? chargesOf(after) : []),
  ...(before ? chargesOf(before).map(([id, price]) => [id, subtract(ZERO, price)] as const) : []),
]
