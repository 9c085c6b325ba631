import { ADMIN_ACCOUNT } from '#lib/domain/accounts/scope.ts'
import { formatDateTime, type Seconds } from '#lib/domain/calendar.ts'
import { remembering } from '#lib/domain/collections.ts'
import { isPositive, type Money, roundedQuotient, subtract } from '#lib/domain/money.ts'
import { bestRateAt, type Rate } from '#lib/domain/rates/rating.ts'
import { readSettings } from '#lib/domain/settings.ts'
import { findAccount } from '#lib/store/accounts/account.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import { exchangeRatesOf } from '#lib/store/rates/currency.ts'
import { mergeByKey } from '#lib/store/rates/lines.ts'
import { prefixOfLine } from '#lib/store/rates/prefix-pages.ts'
import { listProviders } from '#lib/store/rates/provider.ts'
import { fromLine, lineTimes } from '#lib/store/rates/rate-line.ts'
import { findTariffs, listTariffs, readRates, type Tariff } from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'

/** A tariff as it would be. */
export interface TariffToCompare {
  readonly tariff: Pick<Tariff, 'id' | 'currency' | 'owner_id'>
  /** In the order of its lines. */
  readonly lines: Iterable<string>
  readonly now: Seconds
}

/** The selling rate and the cost of a prefix, for a minute, in the default currency. */
interface Loss {
  readonly prefix: string
  readonly sells: Money
  readonly costs: Money
}

/** Limits the rates of other tariffs that are read; a tariff is read as a whole or not at all. */
const MOST_RATES = 300_000
const MOST_TARIFFS = 10

/**
 * Says, in a line for each pair of tariffs, which prefixes are sold below what they cost once all of the tariff's rates are
 * in force: a tariff of admin's is compared with those of the providers, one of a reseller's with the reseller's own, and one
 * of a provider's with those that admin sells by. Rates for a minute are compared, number by number.
 */
export async function describeBelowCost(store: Store, compared: TariffToCompare): Promise<string[]> {
  const { others, left, ...way } = await opponentsOf(store, compared.tariff)
  if (others.length === 0) return []
  const { Timezone: zone, Default_Currency } = readSettings(await findSettings(store))
  const at = latestIn(compared.lines, compared.now)
  const currencies = [compared.tariff, ...others].map(({ currency }) => currency)
  const exchange = await exchangeRatesOf(store, currencies, Default_Currency)
  const told: string[] = []
  for (const tariff of others) {
    const lines = await readRates(store, tariff, tariff.active)
    const [seller, buyer] = way.sells ? [compared, { tariff, lines }] : [{ tariff, lines }, compared]
    const found = lossesIn({ seller, buyer }, { best: bestRateAt({ at, zone }), exchange })
    if (found.count > 0)
      told.push(
        `tariff ${seller.tariff.id} sells ${inWords(found)} below what tariff ${buyer.tariff.id} charges`,
      )
  }
  const from = at > compared.now ? ` (by the rates from ${formatDateTime(at, zone)} on)` : ''
  const rest = left > 0 ? [`not compared with ${left} further tariffs`] : []
  return [...told.map((line) => `warning: ${line}${from}`), ...rest]
}

const RATE_DECIMALS = 15

interface Opponents {
  readonly others: readonly Tariff[]
  /** Whether the tariff sells what these charge for; otherwise it is the other way round. */
  readonly sells: boolean
  /** The number of tariffs that are not compared. */
  readonly left: number
}

async function opponentsOf(store: Store, { id, owner_id }: TariffToCompare['tariff']): Promise<Opponents> {
  const charged = new Set((await listProviders(store)).flatMap(({ tariff_id }) => tariff_id ?? []))
  if (charged.has(id)) {
    const all = await listTariffs(store)
    return bounded(
      all.filter((one) => one.owner_id === ADMIN_ACCOUNT && !charged.has(one.id)),
      false,
    )
  }
  const owner = owner_id === ADMIN_ACCOUNT ? undefined : await findAccount(store, owner_id)
  const ids = owner ? new Set(owner.tariff_id === undefined ? [] : [owner.tariff_id]) : charged
  return bounded(
    (await findTariffs(store, [...ids])).filter((one) => one !== undefined),
    true,
  )
}

function bounded(tariffs: readonly Tariff[], sells: boolean): Opponents {
  let room = MOST_RATES
  const rated = tariffs.filter(({ active }) => active !== undefined)
  const others = rated.filter(({ active }, place) => {
    room -= active?.rows ?? 0
    return room >= 0 && place < MOST_TARIFFS
  })
  return { others, sells, left: rated.length - others.length }
}

/** The moment at which the last of the rates comes into force. */
function latestIn(lines: Iterable<string>, now: Seconds): Seconds {
  let latest = now
  for (const line of lines) latest = Math.max(latest, lineTimes(line).from)
  return latest
}

type Side = Pick<TariffToCompare, 'tariff' | 'lines'>

interface Pair {
  readonly seller: Side
  readonly buyer: Side
}

interface Comparison {
  readonly best: (rates: readonly Rate[]) => Rate | undefined
  readonly exchange: ReadonlyMap<string, Money>
}

interface Losses {
  readonly count: number
  /** The largest first. */
  readonly worst: readonly Loss[]
}

const WORST = 3

/** A number costs what the longest prefix says, on either side: so every prefix of one is looked up in the other. */
function lossesIn({ seller, buyer }: Pair, { best, exchange }: Comparison): Losses {
  const losses = new Map<string, Loss>()
  const [sells, costs] = [seller, buyer].map(({ tariff }) => forAMinute(exchange.get(tariff.currency)))
  const [selling, buying]: [Rate[], Rate[]] = [[], []]
  for (const { key: prefix, before, after } of mergeByKey(seller.lines, buyer.lines, prefixOfLine)) {
    const sell = follow(selling, prefix, best(before.map(fromLine)))
    const buy = follow(buying, prefix, best(after.map(fromLine)))
    if (!sell || !buy || !sells || !costs) continue
    const loss = { prefix: sell.prefix, sells: sells(sell), costs: costs(buy) }
    if (isPositive(lostBy(loss)) && isWorse(loss, losses.get(loss.prefix))) losses.set(loss.prefix, loss)
  }
  return { count: losses.size, worst: worstOf(losses.values()) }
}

/** In the default currency, of which one unit is so many of the tariff's; `undefined` where that is not known. */
function forAMinute(exchangeRate: Money | undefined): ((rate: Rate) => Money) | undefined {
  if (exchangeRate === undefined) return undefined
  const converted = remembering((rate: Money) => roundedQuotient(rate, exchangeRate, RATE_DECIMALS))
  return ({ tariff_rate }) => converted(tariff_rate)
}

/** Goes on to the next prefix, in their order; answers the rate of the longest one that begins it. */
function follow(path: Rate[], prefix: string, rate: Rate | undefined): Rate | undefined {
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
    const place = worst.findIndex((than) => isWorse(loss, than))
    worst.splice(place < 0 ? worst.length : place, 0, loss)
    worst.splice(WORST)
  }
  return worst
}

function inWords({ count, worst }: Losses): string {
  const shown = worst.map(({ prefix, sells, costs }) => `${prefix} at ${sells} for ${costs}`)
  const prefixes = count === 1 ? '1 prefix' : `${count} prefixes`
  return `${prefixes} (${shown.join(', ')}${count > worst.length ? ', …' : ''})`
}
