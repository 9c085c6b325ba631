import { findAccounts } from '#lib/accounts/account.ts'
import { ALL_TIME, addDays, dayOf, type Seconds } from '#lib/base/calendar.ts'
import { type Call, ratedText } from '#lib/calls/call.ts'
import { type CallDay, callsInOrder, listCallDays } from '#lib/calls/call-search.ts'
import { daysInTable } from '#lib/calls/retention.ts'
import { isOfOrigin } from '#lib/rates/origins/origins.ts'
import { findProviders } from '#lib/rates/provider.ts'
import { hasEnded, isBlocked, numberPrefixes, type Rate, ratedDigits } from '#lib/rates/rating.ts'
import type { CallUseCheck, ComparedRates } from '#lib/rates/replacement.ts'
import { fromLine } from '#lib/rates/tariff.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import type { Store } from '#lib/table/store.ts'

/** Recent calls that a change of a tariff would leave without a rate. */
interface CallUse {
  /** The number of calls by lost prefix. */
  readonly lost: ReadonlyMap<string, number>
  readonly checked: number
  /** The day of the oldest checked call, as YYYY-MM-DD; blank if there was none. */
  readonly since: string
  readonly readUnits: number
  readonly days: number
}

interface TariffToCheck extends ComparedRates {
  readonly days: number
}

const MAX_CALLS = 200_000

/** Says which calls of the last days would lose their rate, in two lines. Without days, there is no check. */
export const callUseCheck = (store: Store, days: number | undefined): CallUseCheck | undefined =>
  days === undefined ? undefined : async (rates) => describeUse(await checkCallUse(store, { ...rates, days }))

/** Checks recent calls, the newest first, that the tariff rates for a customer, an owner or a provider. */
async function checkCallUse(store: Store, tariff: TariffToCheck): Promise<CallUse> {
  const readBefore = store.meter.spent.read
  const settings = await settingsOf(store)
  const findLostPrefix = lostPrefixFinder(tariff)
  const ratedBy = callsRatedBy(store, tariff.id)
  const lost = new Map<string, number>()
  let checked = 0
  let since = ''
  for await (const calls of listNewestCalls(store, await daysOfUse(store, tariff, settings))) {
    checked += calls.length
    since = calls[0]?.day ?? since
    const prefixes = (await ratedBy(calls)).map((call) =>
      findLostPrefix(ratedDigits(ratedText(call), settings)),
    )
    countIn(lost, prefixes)
    if (checked >= MAX_CALLS) break
  }
  return {
    lost,
    checked,
    since,
    readUnits: Math.ceil(store.meter.spent.read - readBefore),
    days: tariff.days,
  }
}

function countIn(lost: Map<string, number>, prefixes: readonly (string | undefined)[]): void {
  for (const prefix of prefixes) if (prefix !== undefined) lost.set(prefix, (lost.get(prefix) ?? 0) + 1)
}

function daysOfUse(store: Store, { days, now }: TariffToCheck, settings: Settings): Promise<CallDay[]> {
  const till = dayOf(now, settings.Timezone)
  return listCallDays(
    store,
    ['everyone'],
    daysInTable({ from: addDays(till, -days), till }, settings),
    settings,
  )
}

/** Finds the prefix that rates a number before the change, if no prefix rates the number after it. */
function lostPrefixFinder({ before, after, now }: TariffToCheck) {
  const [rated, still] = [inForce(before, now), inForce(after, now)]
  return (digits: string): string | undefined => {
    const leading = numberPrefixes(digits)
    return ratingPrefix(leading, still) === undefined ? ratingPrefix(leading, rated) : undefined
  }
}

/** The prefixes in force; true for one that has a rate, false for one that is only blocked. */
type PrefixesInForce = ReadonlyMap<string, boolean>

function ratingPrefix(leading: readonly string[], inForceNow: PrefixesInForce): string | undefined {
  const longest = leading.find((part) => inForceNow.has(part))
  return longest !== undefined && inForceNow.get(longest) ? longest : undefined
}

/** A rate that has ended decides only if it blocks its prefix. */
const decides = (rate: Rate, now: Seconds): boolean =>
  (rate.effective_from ?? 0) <= now && (!hasEnded(rate, now) || rate.after_end === 'blocked')

function inForce(lines: Iterable<string>, now: Seconds): PrefixesInForce {
  const prefixes = new Map<string, boolean>()
  for (const line of lines) {
    if (isOfOrigin(line)) continue
    const rate = fromLine(line)
    const isSold = !hasEnded(rate, now) && !isBlocked(rate)
    if (decides(rate, now) && !prefixes.get(rate.prefix)) prefixes.set(rate.prefix, isSold)
  }
  return prefixes
}

/** Filters calls by tariff: their customer, its owner or their provider must have it now. */
function callsRatedBy(store: Store, tariffId: number) {
  const accountsOf = batchedLookup((ids) => findAccounts(store, ids))
  const providersOf = batchedLookup((ids) => findProviders(store, ids))
  return async (calls: readonly Call[]): Promise<Call[]> => {
    const accounts = await accountsOf(calls.flatMap(({ user_id, owner_id }) => [user_id, owner_id]))
    const providers = await providersOf(calls.map(({ provider_id }) => provider_id))
    return calls.filter(({ user_id, owner_id, provider_id = -1 }) =>
      [accounts.get(user_id), accounts.get(owner_id), providers.get(provider_id)].some(
        (party) => party?.tariff_id === tariffId,
      ),
    )
  }
}

const MAX_LISTED = 10

function describeUse({ lost, checked, since, readUnits, days }: CallUse): string[] {
  const most = [...lost].sort(([, one], [, other]) => other - one)
  const shown = most.slice(0, MAX_LISTED).map(([prefix, calls]) => `${prefix} (${calls})`)
  const others = most.length > MAX_LISTED ? ` and ${most.length - MAX_LISTED} more` : ''
  const found = most.length === 0 ? 'none' : `${shown.join(', ')}${others}`
  return [
    `prefixes called in the last ${days} days that would lose their rate: ${found}`,
    `checked ${checked} calls${since === '' ? '' : ` back to ${since}`}, ${readUnits} read units`,
  ]
}

/** All calls of these days, the newest first, batch by batch. */
export const listNewestCalls = (store: Store, days: readonly CallDay[]): AsyncGenerator<Call[]> =>
  callsInOrder(
    store,
    days.toReversed().map(({ calls, queries }) => ({
      calls,
      queries: queries(ALL_TIME).map((query) => ({ ...query, newestFirst: true })),
    })),
    ({ calldate }) => -calldate,
  )
