import { type Seconds, secondsOf } from '#lib/base/calendar.ts'
import { add, divide, isLessThan, type Money, multiply, roundedUp, ZERO } from '#lib/base/money.ts'
import { fileRefused } from '#lib/base/row-refused.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { exchangeRatesOf } from './currency.ts'
import { mergeByKey } from './lines.ts'
import { originsWith, storedOrigins } from './origins/origin-plan.ts'
import { isOfOrigin } from './origins/origins.ts'
import { prefixOfLine } from './prefix-pages.ts'
import { readLines } from './prefix-versions.ts'
import { isBlocked, type Rate } from './rating.ts'
import { type PlannedLines, planTariff, type TariffPlan } from './replacement.ts'
import { plannedRates } from './sheet-plan.ts'
import { endOfLine, fromLine, lineTimes, ratesOf, type Tariff, toLine } from './tariff.ts'

/** How a tariff's rates follow from its costs. Amounts are in the selling tariff's currency. */
export interface CostMarkup {
  /** On the rate of a minute and on the fee of a connection. */
  readonly percent: Money
  /** On the rate of a minute. */
  readonly amount: Money
  readonly least: Money
  /** Rates are rounded up to this many decimals. */
  readonly decimals: number
  /** The rates that begin with these digits; blank for all. */
  readonly prefix: string
}

/** A tariff that sells, and the one whose rates are its costs. */
interface MarkupJob {
  readonly store: Store
  readonly tariff: Tariff
  readonly cost: Tariff
  readonly markup: CostMarkup
  /** Removes the rates of the tariff that have no cost. */
  readonly isWhole: boolean
  readonly now: Date
}

/** The effect of selling at cost and a markup. Nothing is written yet. */
export interface MarkupPlan extends TariffPlan, PlannedLines {
  readonly before: Iterable<string>
  readonly rates: number
}

/** Plans a tariff's rates from another one. Throws refused_file for an unknown currency or no cost. */
export async function planMarkup({ cost, markup, isWhole, ...job }: MarkupJob): Promise<MarkupPlan> {
  const { store, tariff } = job
  if (tariff.id === cost.id) throw fileRefused('A tariff cannot be its own cost: name another one')
  const now = secondsOf(job.now)
  const exchange = await exchangeOf(store, cost, tariff)
  const costs = await readLines(store, ratesOf(cost.id), cost.active)
  const sold = presentLines(costs, now)
    .filter((line) => line.startsWith(markup.prefix))
    .map((line) => toLine(soldAt(fromLine(line), markup, exchange)))
  if (sold.length === 0)
    throw fileRefused(`Tariff ${cost.id} has no rates of ${markup.prefix || 'any number'}`)
  const before = await readLines(store, ratesOf(tariff.id), tariff.active)
  const { lines } = plannedRates(before, { isWhole, now, lines: sold, ended: new Map() })
  const origins = sold.some(isOfOrigin)
    ? await originsWith(store, tariff, await storedOrigins(store, cost))
    : undefined
  const effect = await planTariff(store, tariff, { id: tariff.id, before, after: lines, now, origins })
  return { ...job, ...effect, before, lines, rates: sold.length, origins }
}

/** Units of the tariff's currency for one of the cost's. */
async function exchangeOf(store: Store, cost: Tariff, tariff: Tariff): Promise<Money> {
  const { Default_Currency } = await settingsOf(store)
  const rates = await exchangeRatesOf(store, [cost.currency, tariff.currency], Default_Currency)
  const [from, to] = [cost, tariff].map(({ currency }) => rates.get(currency))
  if (from === undefined || to === undefined)
    throw fileRefused(`There is no currency ${from === undefined ? cost.currency : tariff.currency}`)
  return divide(to, from)
}

/** Rates in force and later ones. The latest rate of each prefix and hours that has begun counts. */
function presentLines(lines: Iterable<string>, now: Seconds): string[] {
  const present: string[] = []
  for (const { before } of mergeByKey(lines, [], prefixOfLine)) {
    const begun = new Map(before.filter(hasBegun(now)).map((line) => [lineTimes(line).window, line]))
    present.push(
      ...before.filter((line) => !hasBegun(now)(line) || begun.get(lineTimes(line).window) === line),
    )
  }
  return present.filter((line) => endOfLine(line) > now)
}

const hasBegun =
  (now: Seconds) =>
  (line: string): boolean =>
    lineTimes(line).from <= now

/** A blocked prefix stays blocked. Amount and least margin are in the rate to which an addition adds. */
function soldAt(rate: Rate, { percent, amount, least, decimals }: CostMarkup, exchange: Money): Rate {
  if (isBlocked(rate)) return rate
  const factor = add('1', divide(percent, 100))
  const cost = multiply(rate.tariff_rate, exchange)
  const ofMinute = rate.adds ? { amount: ZERO, least: ZERO } : { amount, least }
  const [marked, atLeast] = [add(multiply(cost, factor), ofMinute.amount), add(cost, ofMinute.least)]
  const sells = isLessThan(marked, atLeast) ? atLeast : marked
  const fee = multiply(multiply(rate.con_fee, exchange), factor)
  return { ...rate, tariff_rate: roundedUp(sells, decimals), con_fee: roundedUp(fee, decimals) }
}
