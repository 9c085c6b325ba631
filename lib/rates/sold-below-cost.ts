import { findAccount } from '#lib/accounts/account.ts'
import { valueAt } from '#lib/accounts/account-history.ts'
import { formatDateTime, type Seconds } from '#lib/base/calendar.ts'
import { memoize } from '#lib/base/collections.ts'
import { isPositive, type Money, subtract } from '#lib/base/money.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { exchangeRatesOf } from './currency.ts'
import { mergeByKey } from './lines.ts'
import { indexByPrefix, type PrefixIndex } from './numbers/prefix-index.ts'
import { type CallerOfRate, matchByOrigin } from './origins/matching.ts'
import { hasOrigins, INVALID, isOfOrigin, originsInLines, originsOfLines } from './origins/origins.ts'
import { prefixOfLine } from './prefix-pages.ts'
import { linesBeside, readLines } from './prefix-versions.ts'
import { listProviders } from './provider.ts'
import {
  bestRateAt,
  isBlocked,
  minuteInDefaultCurrency,
  type Rate,
  type RatingMoment,
  ratingMoment,
} from './rating.ts'
import {
  findTariffs,
  fromLine,
  lineTimes,
  listTariffs,
  OF_NO_ORIGIN,
  ratesOf,
  type Tariff,
} from './tariff.ts'

/** A tariff with its present or planned rates, sorted. */
interface ComparedTariff {
  readonly tariff: Pick<Tariff, 'id' | 'currency' | 'owner_id' | 'active'>
  readonly lines: Iterable<string>
  /** Its present or planned origins, as lines; by default those of the active version. */
  readonly origins?: Iterable<string> | undefined
}

/** The selling rate and the cost of a prefix, per minute in the default currency. */
interface Loss {
  readonly prefix: string
  /** The origin of the callers; blank for every caller. */
  readonly origin: string
  readonly sells: Money
  readonly costs: Money
}

/** The limit on rates of other tariffs. A tariff is read as a whole or not at all. */
const MAX_RATES = 300_000
const MAX_TARIFFS = 10

/**
 * Warns of prefixes that sell below their cost once all rates of the tariff are in force, in a line for each
 * pair of tariffs. A tariff of admin is compared with the tariffs of the providers. A tariff of a reseller is
 * compared with the tariff that charges the reseller. A provider's tariff is compared with the tariffs by
 * which admin sells. Only rates per minute count, and blocked prefixes are skipped.
 */
export async function describeBelowCost(
  store: Store,
  compared: ComparedTariff,
  now: Seconds,
): Promise<string[]> {
  const { others, sells, left } = await opponentsOf(store, compared.tariff, now)
  if (others.length === 0) return []
  const settings = await settingsOf(store)
  const { Timezone: zone, Default_Currency } = settings
  const at = latestBegin(compared.lines, now)
  const moment = ratingMoment(at, settings)
  const currencies = [compared.tariff, ...others].map(({ currency }) => currency)
  const exchange = await exchangeRatesOf(store, currencies, Default_Currency)
  const warnings: string[] = []
  for (const tariff of others) {
    const lines = await readLines(store, ratesOf(tariff.id), tariff.active)
    const [seller, buyer] = sells ? [compared, { tariff, lines }] : [{ tariff, lines }, compared]
    const sides = { seller, buyer, exchange }
    const ofAll = findLosses(sides, bestRateAt(moment))
    const ofOrigins = hasOrigins(buyer.lines)
      ? findLossesOfOrigins(sides, await callersOf(store, seller, buyer), moment)
      : []
    const all = [...ofAll, ...ofOrigins]
    const losses = { count: all.length, worst: worstOf(all) }
    if (losses.count > 0)
      warnings.push(
        `tariff ${seller.tariff.id} sells ${describeLosses(losses)} below what tariff ${buyer.tariff.id} charges`,
      )
  }
  const from = at > now ? ` (by the rates from ${formatDateTime(at, zone)} on)` : ''
  const rest = left > 0 ? [`not compared with ${left} further tariffs`] : []
  return [...warnings.map((warning) => `warning: ${warning}${from}`), ...rest]
}

interface Opponents {
  readonly others: readonly Tariff[]
  /** True if the tariff sells and the others charge its owner; false for the reverse. */
  readonly sells: boolean
  /** The number of tariffs that are not compared. */
  readonly left: number
}

async function opponentsOf(
  store: Store,
  { id, owner_id }: ComparedTariff['tariff'],
  now: Seconds,
): Promise<Opponents> {
  const charged = new Set((await listProviders(store)).flatMap(({ tariff_id }) => tariff_id ?? []))
  if (charged.has(id)) {
    const all = await listTariffs(store)
    return limitedOpponents(
      all.filter((one) => one.owner_id === ADMIN_ACCOUNT && !charged.has(one.id)),
      false,
    )
  }
  const owner = owner_id === ADMIN_ACCOUNT ? undefined : await findAccount(store, owner_id)
  const tariff = owner && valueAt(owner, 'tariff_id', now)
  const ids = owner ? new Set(tariff === undefined ? [] : [tariff]) : charged
  return limitedOpponents(
    (await findTariffs(store, [...ids])).filter((one) => one !== undefined),
    true,
  )
}

function limitedOpponents(tariffs: readonly Tariff[], sells: boolean): Opponents {
  let room = MAX_RATES
  const rated = tariffs.filter(({ active }) => active !== undefined)
  const others = rated.filter(({ active }, index) => {
    room -= active?.rows ?? 0
    return room >= 0 && index < MAX_TARIFFS
  })
  return { others, sells, left: rated.length - others.length }
}

/** The moment at which the last of the rates comes into force, not before `now`. */
function latestBegin(lines: Iterable<string>, now: Seconds): Seconds {
  let latest = now
  for (const line of lines) latest = Math.max(latest, lineTimes(line).from)
  return latest
}

interface Sides {
  readonly seller: ComparedTariff
  readonly buyer: ComparedTariff
  readonly exchange: ReadonlyMap<string, Money>
}

/** The number of losses that a warning lists. */
const MAX_LISTED = 3

/**
 * Compares the rates of both sides for every prefix of either side, because the longest prefix decides the
 * rate of a number on each side.
 */
function findLosses(
  { seller, buyer, exchange }: Sides,
  best: (rates: readonly Rate[]) => Rate | undefined,
): Loss[] {
  const losses = new Map<string, Loss>()
  const [sells, costs] = [seller, buyer].map(({ tariff }) => perMinute(exchange.get(tariff.currency)))
  const [selling, buying]: [Rate[], Rate[]] = [[], []]
  for (const { key: prefix, before, after } of mergeByKey(seller.lines, buyer.lines, prefixOfLine)) {
    const sell = longestRate(selling, prefix, best(ofEveryCaller(before)))
    const buy = longestRate(buying, prefix, best(ofEveryCaller(after)))
    if (!sell || !buy || !sells || !costs || isBlocked(sell) || isBlocked(buy)) continue
    const loss = { prefix: sell.prefix, origin: '', sells: sells(sell), costs: costs(buy) }
    noteLoss(losses, loss)
  }
  return [...losses.values()]
}

/** Keeps the largest loss of a selling rate and an origin. */
function noteLoss(losses: Map<string, Loss>, loss: Loss): void {
  const name = `${loss.prefix} ${loss.origin}`
  if (isPositive(lostBy(loss)) && isWorse(loss, losses.get(name))) losses.set(name, loss)
}

const ofEveryCaller = (lines: readonly string[]): Rate[] =>
  lines.filter((line) => !isOfOrigin(line)).map(fromLine)

/** The origins of one caller on both sides. */
interface ComparedCaller {
  readonly sells: CallerOfRate
  readonly costs: CallerOfRate
}

/** A caller of each origin of the costs: the first one of its list, or one without a usable number. */
async function callersOf(
  store: Store,
  seller: ComparedTariff,
  buyer: ComparedTariff,
): Promise<ReadonlyMap<string, ComparedCaller>> {
  const linesOf = async ({ tariff: { id, active }, origins }: ComparedTariff) => [
    ...(origins ?? (await linesBeside(store, ratesOf(id), active))),
  ]
  const [sellingLines, costingLines] = [await linesOf(seller), await linesOf(buyer)]
  const [selling, costing] = [sellingLines, costingLines].map((lines) => indexByPrefix(lines, prefixOfLine))
  const valid = (leading: PrefixIndex<string> | undefined, digits: string): CallerOfRate => ({
    ...OF_NO_ORIGIN,
    origins: originsOfLines(leading?.(digits) ?? []),
  })
  const known = originsInLines(costingLines).map(
    ({ origin, prefix }) =>
      [origin, { sells: valid(selling, prefix), costs: valid(costing, prefix) }] as const,
  )
  const invalid: CallerOfRate = {
    ...OF_NO_ORIGIN,
    ...{ origins: [{ name: INVALID, prefix: '' }], isInvalid: true, invalid_caller: 'dearest', seconds: 60 },
  }
  return new Map([...known.toReversed(), [INVALID, { sells: invalid, costs: invalid }]])
}

/** The rate of a number and its caller, unless it is blocked. */
function sold(leading: readonly Rate[], caller: CallerOfRate, moment: RatingMoment): Rate | undefined {
  const rate = matchByOrigin(leading, caller, moment)
  return rate && !isBlocked(rate) ? rate : undefined
}

/** Compares, for every prefix of either side, what a caller of each origin costs there and pays. */
function findLossesOfOrigins(
  { seller, buyer, exchange }: Sides,
  callers: ReadonlyMap<string, ComparedCaller>,
  moment: RatingMoment,
): Loss[] {
  const losses = new Map<string, Loss>()
  const [sells, costs] = [seller, buyer].map(({ tariff }) => perMinute(exchange.get(tariff.currency)))
  let leading: { prefix: string; selling: Rate[]; costing: Rate[] }[] = []
  for (const { key: prefix, before, after } of mergeByKey(seller.lines, buyer.lines, prefixOfLine)) {
    leading = leading.filter((one) => prefix.startsWith(one.prefix))
    leading.push({ prefix, selling: before.map(fromLine), costing: after.map(fromLine) })
    const costing = leading.flatMap((one) => one.costing)
    for (const origin of new Set(costing.map((rate) => rate.origin))) {
      const caller = callers.get(origin)
      const selling = leading.flatMap((one) => one.selling)
      const sell = caller && sold(selling, caller.sells, moment)
      const buy = caller && sold(costing, caller.costs, moment)
      if (!sell || !buy || !sells || !costs) continue
      const loss = { prefix: sell.prefix, origin, sells: sells(sell), costs: costs(buy) }
      noteLoss(losses, loss)
    }
  }
  return [...losses.values()]
}

/** Converts a rate per minute to the default currency; `undefined` without an exchange rate. */
function perMinute(exchangeRate: Money | undefined): ((rate: Rate) => Money) | undefined {
  if (exchangeRate === undefined) return undefined
  const converted = memoize((rate: Money) => minuteInDefaultCurrency(rate, exchangeRate))
  return ({ tariff_rate }) => converted(tariff_rate)
}

/** The rate of `prefix`'s longest prefix on one side. `path` holds shorter ones; calls come sorted. */
function longestRate(path: Rate[], prefix: string, rate: Rate | undefined): Rate | undefined {
  while (path.length > 0 && !prefix.startsWith(path.at(-1)?.prefix ?? '')) path.pop()
  if (rate) path.push(rate)
  return path.at(-1)
}

const lostBy = ({ sells, costs }: Loss): Money => subtract(costs, sells)

const isWorse = (loss: Loss, than: Loss | undefined): boolean =>
  than === undefined || isPositive(subtract(lostBy(loss), lostBy(than)))

function worstOf(losses: Iterable<Loss>): Loss[] {
  const worst: Loss[] = []
  for (const loss of losses) {
    const index = worst.findIndex((than) => isWorse(loss, than))
    worst.splice(index < 0 ? worst.length : index, 0, loss)
    worst.splice(MAX_LISTED)
  }
  return worst
}

function describeLosses({
  count,
  worst,
}: {
  readonly count: number
  readonly worst: readonly Loss[]
}): string {
  const shown = worst.map(
    ({ prefix, origin, sells, costs }) => `${prefix}${origin && ` from ${origin}`} at ${sells} for ${costs}`,
  )
  const prefixes = count === 1 ? '1 prefix' : `${count} prefixes`
  return `${prefixes} (${shown.join(', ')}${count > worst.length ? ', …' : ''})`
}
