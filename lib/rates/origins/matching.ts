import { add, isLessThan, type Money, sumOfProducts } from '#lib/base/money.ts'
import {
  billedSeconds,
  EVERYONE,
  isBlocked,
  type Rate,
  type RatingMoment,
  rateWalk,
  sixtyfoldPrice,
} from '../rating.ts'
import { INDETERMINATE, INVALID, type OriginOfCaller } from './origins.ts'

// The order in which a number and its caller select the rate of a call (wire.md 7.7).

export const INVALID_CALLERS = ['dearest', 'standard'] as const

export type InvalidCaller = (typeof INVALID_CALLERS)[number]

/** Who calls, as a tariff with origins sees it. */
export interface CallerOfRate {
  /** The origins of a caller, the longest prefix first, then the origin with fewer prefixes. */
  readonly origins: readonly OriginOfCaller[]
  /** How the number was found, or why there is none. */
  readonly detail: string
  readonly isInvalid: boolean
  readonly invalid_caller: InvalidCaller
  /** The length of the call, by which the dearest rate of an invalid caller is found. */
  readonly seconds: number
}

/** The parts of the rate of a call by a tariff with origins. */
export interface RateParts {
  readonly base: Rate
  readonly addition: Rate | undefined
  readonly caller: CallerOfRate
  /** The origins that decided, for the customer; blank if none did. */
  readonly decided: string
}

/** The rate of a call. With an addition it is the sum. */
export interface CallRate extends Rate {
  /** Absent for a tariff without origins. */
  readonly parts?: RateParts
}

/** Selects a rate of some origins, in this order: a full rate, or one that is added. */
type Walk = ReturnType<typeof rateWalk>

/** The rate of a number and its caller among the rates whose prefixes lead the digits. */
export function matchByOrigin(
  leading: readonly Rate[],
  caller: CallerOfRate,
  when: RatingMoment,
): CallRate | undefined {
  const walk = rateWalk(leading, when)
  const own = caller.origins.map(({ name }) => name)
  const found = walk([...own, EVERYONE], false)
  const base = isDearest(caller, found) ? (dearestBase(leading, walk, caller.seconds) ?? found) : found
  if (!base) return undefined
  const addition = isBlocked(base) ? undefined : additionOf(leading, base, { walk, own, caller })
  const decided = caller.isInvalid
    ? decidedForInvalid(leading, { base, addition, caller })
    : decidedOf(base.origin, addition?.origin ?? EVERYONE)
  return { ...sumOf(base, addition), parts: { base, addition, caller, decided } }
}

const isNamed = (origin: string): boolean => origin !== EVERYONE

const decidedOf = (base: string, added: string): string =>
  isNamed(base) && isNamed(added) && base !== added ? `${base} + ${added}` : base || added

/** A rate that names invalid callers decides; of others, they get the dearest. */
const isDearest = ({ isInvalid, invalid_caller }: CallerOfRate, found: Rate | undefined): boolean =>
  isInvalid && invalid_caller === 'dearest' && !(found && isOfInvalid(found))

const isOfInvalid = ({ origin }: Rate): boolean => origin === INVALID || origin === INDETERMINATE

const originsIn = (leading: readonly Rate[]): string[] =>
  [...new Set(leading.map(({ origin }) => origin))].filter(isNamed).sort()

/**
 * The dearest of the rates that a caller of each origin, and of none, would get. One origin at a time
 * suffices: the rate of several is that of one of them, or of none.
 */
function dearestBase(leading: readonly Rate[], walk: Walk, seconds: number): Rate | undefined {
  const bases = [[EVERYONE], ...originsIn(leading).map((origin) => [origin, EVERYONE])].flatMap(
    (origins) => walk(origins, false) ?? [],
  )
  const sold = bases.filter((base) => !isBlocked(base))
  return dearestOf(sold.length > 0 ? sold : bases, (base) => sixtyfoldPrice(base, Math.max(seconds, 1)))
}

interface Addition {
  readonly walk: Walk
  readonly own: readonly string[]
  readonly caller: CallerOfRate
}

function additionOf(leading: readonly Rate[], base: Rate, { walk, own, caller }: Addition): Rate | undefined {
  const found = walk(own, true)
  if (found || !caller.isInvalid || caller.invalid_caller === 'standard') return found
  const billed = billedSeconds(base, Math.max(caller.seconds, 1))
  return dearestOf(
    originsIn(leading).flatMap((origin) => walk([origin], true) ?? []),
    ({ con_fee, tariff_rate }) =>
      sumOfProducts([
        [con_fee, 60],
        [tariff_rate, billed],
      ]),
  )
}

/** The first of the dearest. */
function dearestOf(rates: readonly Rate[], priceOf: (rate: Rate) => Money): Rate | undefined {
  let dearest: { rate: Rate; price: Money } | undefined
  for (const rate of rates) {
    const price = priceOf(rate)
    if (!dearest || isLessThan(dearest.price, price)) dearest = { rate, price }
  }
  return dearest?.rate
}

/** Whether a missing number decides: not where no caller would pay another price. */
function decidedForInvalid(
  leading: readonly Rate[],
  { base, addition, caller }: Pick<RateParts, 'base' | 'addition' | 'caller'>,
): string {
  const isStandard = caller.invalid_caller === 'standard' && !isNamed(base.origin) && !addition
  return isStandard || !leading.some(({ origin }) => isNamed(origin)) ? EVERYONE : INVALID
}

const sumOf = (base: Rate, addition: Rate | undefined): Rate =>
  addition
    ? {
        ...base,
        tariff_rate: add(base.tariff_rate, addition.tariff_rate),
        con_fee: add(base.con_fee, addition.con_fee),
      }
    : base
