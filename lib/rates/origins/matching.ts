import { add, isLessThan, isZero, type Money, sumOfProducts } from '#lib/base/money.ts'
import {
  billedSeconds,
  EVERYONE,
  FOR_EVERYONE,
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

/** The caller, as a tariff with origins sees it. */
export interface CallerOfRate {
  /** The origins of a caller, the longest prefix first, then the origin with fewer prefixes. */
  readonly origins: readonly OriginOfCaller[]
  /** How the number was found, or why there is none. */
  readonly detail: string
  readonly isInvalid: boolean
  readonly invalid_caller: InvalidCaller
  /** The length of the call, by which the highest rate of an invalid caller is found. */
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

/** Selects a rate of some origins, in this order. */
type Walk = ReturnType<typeof rateWalk>

/** The rate of a number and its caller among the rates whose prefixes lead the digits, the shortest first. */
export function matchByOrigin(
  leading: readonly Rate[],
  caller: CallerOfRate,
  when: RatingMoment,
): CallRate | undefined {
  const walk = rateWalk(leading, when)
  if (!leading.some(isOfOrigin)) {
    const base = walk(FOR_EVERYONE)
    return base && { ...base, parts: { base, addition: undefined, caller, decided: EVERYONE } }
  }
  const own = caller.origins.map(({ name }) => name)
  const found = walk([...own, EVERYONE])
  const base = getsHighest(caller, found) ? (highestBase(leading, walk, caller.seconds) ?? found) : found
  if (!base) return undefined
  const isAddedTo = !isBlocked(base) && leading.some(({ adds }) => adds)
  const addition = isAddedTo ? additionOf(leading, base, { own, caller, when }) : undefined
  const decided = caller.isInvalid
    ? decidedForInvalid({ base, addition, caller })
    : decidedOf(base.origin, addition?.origin ?? EVERYONE)
  const parts = { base, addition, caller, decided }
  if (!addition) return { ...base, parts }
  const tariff_rate = add(base.tariff_rate, addition.tariff_rate)
  return { ...base, tariff_rate, con_fee: add(base.con_fee, addition.con_fee), parts }
}

const isOfOrigin = ({ origin }: Rate): boolean => isNamed(origin)

const isNamed = (origin: string): boolean => origin !== EVERYONE

const decidedOf = (base: string, added: string): string =>
  isNamed(base) && isNamed(added) && base !== added ? `${base} + ${added}` : base || added

/** A rate that names invalid callers decides; of others, they get the highest. */
const getsHighest = ({ isInvalid, invalid_caller }: CallerOfRate, found: Rate | undefined): boolean =>
  isInvalid && invalid_caller === 'dearest' && !(found && isOfInvalid(found))

const isOfInvalid = ({ origin }: Rate): boolean => origin === INVALID || origin === INDETERMINATE

const originsIn = (leading: readonly Rate[]): string[] =>
  [...new Set(leading.map(({ origin }) => origin))].filter(isNamed).sort()

/**
 * The highest of the rates that a caller of each origin, and of none, would get. One origin at a time
 * suffices: the rate of several is that of one of them, or of none.
 */
function highestBase(leading: readonly Rate[], walk: Walk, seconds: number): Rate | undefined {
  const bases = [[EVERYONE], ...originsIn(leading).map((origin) => [origin, EVERYONE])].flatMap(
    (origins) => walk(origins) ?? [],
  )
  const sold = bases.filter((base) => !isBlocked(base))
  return highestOf(sold.length > 0 ? sold : bases, (base) => sixtyfoldPrice(base, Math.max(seconds, 1)))
}

function additionOf(
  leading: readonly Rate[],
  base: Rate,
  { own, caller, when }: { own: readonly string[]; caller: CallerOfRate; when: RatingMoment },
): Rate | undefined {
  const walk = rateWalk(leading, when, true)
  const found = walk(own)
  if (found || !caller.isInvalid || caller.invalid_caller === 'standard') return found
  const billed = billedSeconds(base, Math.max(caller.seconds, 1))
  return highestOf(
    originsIn(leading).flatMap((origin) => walk([origin]) ?? []),
    ({ con_fee, tariff_rate }) =>
      sumOfProducts([
        [con_fee, 60],
        [tariff_rate, billed],
      ]),
  )
}

/** The first of the highest. */
function highestOf(rates: readonly Rate[], priceOf: (rate: Rate) => Money): Rate | undefined {
  let highest: { rate: Rate; price: Money } | undefined
  for (const rate of rates) {
    const price = priceOf(rate)
    if (!highest || isLessThan(highest.price, price)) highest = { rate, price }
  }
  return highest?.rate
}

/** Whether a missing number decides: not where the tariff asks for nothing and no rate names such callers. */
const decidedForInvalid = ({
  base,
  addition,
  caller,
}: Pick<RateParts, 'base' | 'addition' | 'caller'>): string =>
  caller.invalid_caller === 'standard' && !isNamed(base.origin) && !addition ? EVERYONE : INVALID

/** How the caller's number decided, and the parts of a sum; one sentence for each. */
export function describeParts({ base, addition, caller }: RateParts): string[] {
  const origins = caller.origins.map(({ name, prefix }) => (prefix === '' ? name : `${name} by ${prefix}`))
  const rateOf = ({ prefix, origin, tariff_rate, con_fee }: Rate) =>
    [prefix, origin, isBlocked(base) ? 'blocked' : tariff_rate, isZero(con_fee) ? '' : `and ${con_fee}`]
      .filter((part) => part !== '')
      .join(' ')
  return [
    describeCaller(caller),
    ...(origins.length > 0 ? [`origin ${origins.join(', ')}`] : []),
    `base ${rateOf(base)}`,
    ...(addition ? [`added ${rateOf(addition)}`] : []),
  ]
}

export const describeCaller = ({ detail, isInvalid }: Pick<CallerOfRate, 'detail' | 'isInvalid'>): string =>
  `caller ${detail}${isInvalid ? ', not usable' : ''}`
