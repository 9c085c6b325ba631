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
import { prefixOfLine } from './prefix-pages.ts'
import { readLines } from './prefix-versions.ts'
import { listProviders } from './provider.ts'
import { bestRateAt, isBlocked, minuteInDefaultCurrency, type Rate, ratingMoment } from './rating.ts'
import { findTariffs, fromLine, lineTimes, listTariffs, ratesOf, type Tariff } from './tariff.ts'

/** A tariff with its present or planned rates, sorted. */
interface ComparedTariff {
  readonly tariff: Pick<Tariff, 'id' | 'currency' | 'owner_id'>
  readonly lines: Iterable<string>
}

/** The selling rate and the cost of a prefix, per minute in the default currency. */
interface Loss {
  readonly prefix: string
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
  const currencies = [compared.tariff, ...others].map(({ currency }) => currency)
  const exchange = await exchangeRatesOf(store, currencies, Default_Currency)
  const warnings: string[] = []
  for (const tariff of others) {
    const lines = await readLines(store, ratesOf(tariff.id), tariff.active)
    const [seller, buyer] = sells ? [compared, { tariff, lines }] : [{ tariff, lines }, compared]
    const losses = findLosses(seller, buyer, bestRateAt(ratingMoment(at, settings)), exchange)
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

interface Losses {
  readonly count: number
  /** The largest first. */
  readonly worst: readonly Loss[]
}

/** The number of losses that a warning lists. */
const MAX_LISTED = 3

/**
 * Compares the rates of both sides for every prefix of either side, because the longest prefix decides the
 * rate of a number on each side.
 */
function findLosses(
  seller: ComparedTariff,
  buyer: ComparedTariff,
  best: (rates: readonly Rate[]) => Rate | undefined,
  exchange: ReadonlyMap<string, Money>,
): Losses {
  const losses = new Map<string, Loss>()
  const [sells, costs] = [seller, buyer].map(({ tariff }) => perMinute(exchange.get(tariff.currency)))
  const [selling, buying]: [Rate[], Rate[]] = [[], []]
  for (const { key: prefix, before, after } of mergeByKey(seller.lines, buyer.lines, prefixOfLine)) {
    const sell = longestRate(selling, prefix, best(before.map(fromLine)))
    const buy = longestRate(buying, prefix, best(after.map(fromLine)))
    if (!sell || !buy || !sells || !costs || isBlocked(sell) || isBlocked(buy)) continue
    const loss = { prefix: sell.prefix, sells: sells(sell), costs: costs(buy) }
    if (isPositive(lostBy(loss)) && isWorse(loss, losses.get(loss.prefix))) losses.set(loss.prefix, loss)
  }
  return { count: losses.size, worst: worstOf(losses.values()) }
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

function describeLosses({ count, worst }: Losses): string {
  const shown = worst.map(({ prefix, sells, costs }) => `${prefix} at ${sells} for ${costs}`)
  const prefixes = count === 1 ? '1 prefix' : `${count} prefixes`
  return `${prefixes} (${shown.join(', ')}${count > worst.length ? ', …' : ''})`
}
