import { addDays, DAY_SECONDS, type Day, type Seconds, wallClock } from '#lib/base/calendar.ts'
import {
  isLessThan,
  type Money,
  type MoneyTerm,
  ONE,
  roundedQuotient,
  roundedQuotientOfProducts,
  sumOfProducts,
  ZERO,
} from '#lib/base/money.ts'
import type { Settings } from '#lib/settings/settings.ts'

export const DAY_TYPES = ['everyday', 'weekday', 'weekend'] as const

export type DayType = (typeof DAY_TYPES)[number]

/** The rating of a prefix after the end of its rate: a shorter prefix rates them, or they are blocked. */
export const AFTER_ENDS = ['fallback', 'blocked'] as const

/** One rate of a tariff. Times are `HH:MM:SS` in the installation's zone; the window includes both ends. */
export interface Rate {
  readonly prefix: string
  /** The callers whom it charges, as the origins of the tariff name them; blank for every caller. */
  readonly origin: string
  /** Price and fee are added to those of the call's rate. */
  readonly adds: boolean
  /** Unix seconds; `undefined` if the rate was always in force. */
  readonly effective_from: Seconds | undefined
  /** The first moment without the rate, in Unix seconds; `undefined` if it has no end. */
  readonly ends_at: Seconds | undefined
  readonly after_end: (typeof AFTER_ENDS)[number]
  readonly start_time: string
  readonly end_time: string
  readonly daytype: DayType
  /** Price of a minute, or BLOCKED_RATE. */
  readonly tariff_rate: Money
  /** Price of a connection. */
  readonly con_fee: Money
  /** Seconds. */
  readonly increment: number
  /** Seconds. */
  readonly min_time: number
  readonly direction: string
  /** The destination's name. */
  readonly destination: string
  readonly code: string
}

/** The rate of a blocked prefix: calls to it are not sold (wire.md 7.1). */
export const BLOCKED_RATE: Money = '-1'

export const isBlocked = ({ tariff_rate }: Pick<Rate, 'tariff_rate'>): boolean => tariff_rate === BLOCKED_RATE

/** A moment, and the zone whose time and day of the week decide. */
export interface RatingMoment {
  readonly at: Seconds
  readonly zone: string
  /** Days that count as weekend, with commas between them. */
  readonly freeDays?: string
  /** Saturdays and Sundays that count as weekdays. */
  readonly workingDays?: string
}

/** A moment as the settings of an installation see it. */
export const ratingMoment = (
  at: Seconds,
  { Timezone, Free_Days, Working_Days }: Pick<Settings, 'Timezone' | 'Free_Days' | 'Working_Days'>,
): RatingMoment => ({ at, zone: Timezone, freeDays: Free_Days, workingDays: Working_Days })

/** The origin of the rates of every caller. */
export const EVERYONE = ''

/**
 * Finds the rate of a dialled number among the rates whose prefixes lead it, the shortest first: the rate in
 * force with the longest prefix (wire.md rate_get).
 */
export const matchRate = (leading: readonly Rate[], when: RatingMoment): Rate | undefined =>
  rateWalk(leading, when)(FOR_EVERYONE)

export const FOR_EVERYONE: readonly string[] = [EVERYONE]

/**
 * Returns a function that goes through the prefixes, the longest first, and at each one through some origins:
 * the first rate in force is that of the call. The rates are those that add, or all others.
 */
export function rateWalk(leading: readonly Rate[], when: RatingMoment, adds = false) {
  const isInForce = inForceAt(when)
  const count = leading.findLastIndex(({ prefix }) => prefix.length <= MAX_PREFIX_DIGITS) + 1
  const fits = (rate: Rate | undefined, origin: string): rate is Rate =>
    rate?.origin === origin && rate.adds === adds && isInForce(rate)
  const bestOf = (origin: string, start: number, end: number): Rate | undefined => {
    let first: Rate | undefined
    let all: Rate[] | undefined
    for (let at = start; at < end; at += 1) {
      const rate = leading[at]
      if (!fits(rate, origin)) continue
      if (all) all.push(rate)
      else if (first) all = [first, rate]
      else first = rate
    }
    return bestInForce(first, all, when)
  }
  return (origins: readonly string[]): Rate | undefined => {
    for (let end = count, start = count; end > 0; end = start) {
      start = startOfPrefix(leading, end - 1)
      for (const origin of origins) {
        const found = bestOf(origin, start, end)
        if (found) return found
      }
    }
    return undefined
  }
}

/** The index of the first rate of the prefix that the rate at this index has. */
function startOfPrefix(leading: readonly Rate[], index: number): number {
  const length = leading[index]?.prefix.length
  let start = index
  while (start > 0 && leading[start - 1]?.prefix.length === length) start -= 1
  return start
}

/** Selects, among the rates of one prefix and origin, the one that applies at a moment. */
export function bestRateAt(when: RatingMoment): (rates: readonly Rate[]) => Rate | undefined {
  const isInForce = inForceAt(when)
  return (rates) => {
    const all = rates.filter(isInForce)
    return bestInForce(all[0], all, when)
  }
}

/** `all` has more than the first one, or is left out. */
function bestInForce(first: Rate | undefined, all: Rate[] = [], when: RatingMoment): Rate | undefined {
  if (all.length > 1) return firstWithoutEnd(withoutEnding(all, when).sort(byPreference), when.at)
  return first && hasEnded(first, when.at) ? firstWithoutEnd([first], when.at) : first
}

/** The second in which one window ends and the next one begins belongs to the next. */
function withoutEnding(rates: Rate[], { at, zone }: RatingMoment): Rate[] {
  const { time } = wallClock(at, zone)
  const begins = ({ start_time }: Rate) => start_time === time
  return rates.some(begins) ? rates.filter((rate) => rate.end_time !== time || begins(rate)) : rates
}

/**
 * The preferred rate that has not ended. An ended rate also ends earlier rates of its hours and days, which
 * it replaced. It blocks its prefix, or leaves it to other hours and days, and to shorter prefixes.
 */
function firstWithoutEnd(preferred: readonly Rate[], at: Seconds): Rate | undefined {
  const ended: Rate[] = []
  for (const rate of preferred) {
    if (ended.some((one) => isOfSameHours(one, rate))) continue
    if (!hasEnded(rate, at)) return rate
    if (rate.after_end === 'blocked') return { ...rate, tariff_rate: BLOCKED_RATE }
    ended.push(rate)
  }
  return undefined
}

export const hasEnded = ({ ends_at }: Pick<Rate, 'ends_at'>, at: Seconds): boolean =>
  ends_at !== undefined && ends_at <= at

const isOfSameHours = (one: Rate, other: Rate): boolean =>
  one.start_time === other.start_time && one.end_time === other.end_time && one.daytype === other.daytype

/**
 * A rate is in force, unless it has ended, if it is effective and its day type and window match. A
 * `start_time` after `end_time` wraps over midnight.
 */
function inForceAt(when: RatingMoment): (rate: Rate) => boolean {
  const { at } = when
  let isInWindow: ReturnType<typeof inWindowAt> | undefined
  return (rate) => {
    if ((rate.effective_from ?? 0) > at) return false
    if (isOfAnyHour(rate)) return true
    isInWindow ??= inWindowAt(when)
    return isInWindow(rate)
  }
}

function inWindowAt(when: RatingMoment): (rate: Rate) => boolean {
  const { day, time, weekday } = wallClock(when.at, when.zone)
  const isFree = isFreeDay(day, weekday, when)
  const wasFree = () => isFreeDay(addDays(day, -1), weekday === 1 ? 7 : weekday - 1, when)
  return ({ start_time, end_time, daytype }) => {
    if (start_time <= end_time) return start_time <= time && time <= end_time && fits(daytype, isFree)
    if (time >= start_time) return fits(daytype, isFree)
    return time <= end_time && fits(daytype, wasFree())
  }
}

export const MIDNIGHT = '00:00:00'

/** The last second of a window that has a whole day. */
export const END_OF_DAY = '23:59:59'

/** Most rates are: they need no clock. */
const isOfAnyHour = (rate: Rate): boolean => rate.daytype === 'everyday' && isOfWholeDay(rate)

export const isOfWholeDay = ({ start_time, end_time }: Rate): boolean =>
  start_time === MIDNIGHT && end_time === END_OF_DAY

const SATURDAY = 6

function isFreeDay(day: Day, weekday: number, { freeDays = '', workingDays = '' }: RatingMoment): boolean {
  return freeDays.includes(day) || (weekday >= SATURDAY && !workingDays.includes(day))
}

/** A window over midnight belongs to the day on which it begins, so callers pass whether that day is free. */
const fits = (daytype: DayType, isFree: boolean): boolean =>
  daytype === 'everyday' || (daytype === 'weekend') === isFree

/**
 * Orders the rates of one prefix: windows before whole days, then the newest effective_from, then weekday and
 * weekend before everyday, then the latest start_time, then the shorter window (wire.md rate_get).
 */
export function byPreference(one: Rate, other: Rate): number {
  return (
    Number(windowLength(one) === DAY_SECONDS) - Number(windowLength(other) === DAY_SECONDS) ||
    (other.effective_from ?? 0) - (one.effective_from ?? 0) ||
    Number(one.daytype === 'everyday') - Number(other.daytype === 'everyday') ||
    secondsOfDay(other.start_time) - secondsOfDay(one.start_time) ||
    windowLength(one) - windowLength(other)
  )
}

/** In seconds of local time, both ends included. */
const windowLength = ({ start_time, end_time }: Rate): number =>
  ((secondsOfDay(end_time) - secondsOfDay(start_time) + DAY_SECONDS) % DAY_SECONDS) + 1

export const secondsOfDay = (time: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

export const PRICE_DECIMALS = 6

/** The number of stored decimals of a rate. One that needs no conversion has fewer. */
const RATE_DECIMALS = 15

/** A rate of a minute in the default currency, one unit of which is `exchangeRate` units of the rate's. */
export const minuteInDefaultCurrency = (tariff_rate: Money, exchangeRate: Money): Money =>
  roundedQuotient(tariff_rate, exchangeRate, RATE_DECIMALS)

/**
 * Prices a call of `billsec` seconds in the default currency. One unit of it is `exchangeRate` units of the
 * rate's currency. Billed seconds are rounded up to the increment and are at least min_time. The price is
 * rounded once, to 6 decimals, half away from zero (wire.md 4.4, 7.2). A call of 0 seconds costs nothing.
 */
export function priceOf(
  rate: RateTerms,
  billsec: number,
  exchangeRate: Money = ONE,
): { billed_seconds: number; price: Money } {
  if (billsec <= 0) return { billed_seconds: 0, price: ZERO }
  const price = roundedQuotientOfProducts(sixtyfold(rate, billsec), [exchangeRate, 60], PRICE_DECIMALS)
  return { billed_seconds: billedSeconds(rate, billsec), price }
}

type RateTerms = Pick<Rate, 'tariff_rate' | 'con_fee' | 'increment' | 'min_time'>

export function billedSeconds({ increment, min_time }: RateTerms, billsec: number): number {
  const step = Math.max(increment, 1)
  return Math.max(Math.ceil(billsec / step) * step, min_time)
}

/** Sixty times the exact price of a call in the currency of its rate, which a price rounds. */
export const sixtyfoldPrice = (rate: RateTerms, billsec: number): Money =>
  sumOfProducts(sixtyfold(rate, billsec))

const sixtyfold = (rate: RateTerms, billsec: number): MoneyTerm[] => [
  [rate.con_fee, 60],
  [rate.tariff_rate, billedSeconds(rate, billsec)],
]

/** The prices of a call. A direct call has no reseller between the customer and admin. */
interface PricesOfCall {
  readonly user_price?: Money | undefined
  readonly reseller_price?: Money | undefined
  readonly provider_price?: Money | undefined
  readonly direct: boolean
}

/** Whether the operator is paid less for a call than it costs. An unknown price is not compared. */
export const losesOperator = ({
  user_price,
  reseller_price,
  provider_price,
  direct,
}: PricesOfCall): boolean => isLess(direct ? user_price : reseller_price, provider_price)

/** Whether a reseller is paid less for a call than it pays. */
export const losesReseller = ({ user_price, reseller_price, direct }: PricesOfCall): boolean =>
  !direct && isLess(user_price, reseller_price)

/** Whether a call is sold below cost, by a reseller to its customer, or by admin to the payer. */
export const isBelowCost = (call: PricesOfCall): boolean => losesOperator(call) || losesReseller(call)

const isLess = (price: Money | undefined, cost: Money | undefined): boolean =>
  price !== undefined && cost !== undefined && isLessThan(price, cost)

export type DiallingPrefixes = Pick<Settings, 'International_Prefix' | 'National_Prefix' | 'Country_Code'>

/**
 * The digits that select the rate of a dialled number: they begin with the country code (wire.md 7.3). A `+`
 * or the international prefix is removed; the national prefix is replaced with the country code.
 */
export function ratedDigits(dialled: string, prefixes: DiallingPrefixes): string {
  const { International_Prefix, National_Prefix, Country_Code } = prefixes
  const digits = digitsOf(dialled)
  if (dialled.trim().startsWith('+')) return digits
  if (hasPrefix(digits, International_Prefix)) return digits.slice(International_Prefix.length)
  return hasPrefix(digits, National_Prefix) ? Country_Code + digits.slice(National_Prefix.length) : digits
}

const hasPrefix = (digits: string, prefix: string): boolean => prefix !== '' && digits.startsWith(prefix)

/** The most digits of a prefix. Further digits of a dialled number are ignored (wire.md rate_get). */
export const MAX_PREFIX_DIGITS = 30

/** Strips everything but digits. */
export const digitsOf = (dialled: string): string => dialled.replace(/\D/g, '')

/** All prefixes of a number, the longest first. */
export function numberPrefixes(digits: string): string[] {
  const longest = Math.min(digits.length, MAX_PREFIX_DIGITS)
  return Array.from({ length: longest }, (_, dropped) => digits.slice(0, longest - dropped))
}

/** Dialled texts that are not phone numbers. They cost nothing, unless a rate names them whole. */
export const UNRATED_FORMS = ['feature_code', 'short_number'] as const

export type UnratedForm = (typeof UNRATED_FORMS)[number]

/** The values of a call's column `rated` if it costs nothing, regardless of the tariffs (wire.md 7.3). */
export const FREE_REASONS = ['internal', 'incoming', ...UNRATED_FORMS] as const

export type FreeReason = (typeof FREE_REASONS)[number]

type DiallingSettings = DiallingPrefixes & Pick<Settings, 'Shortest_Rated_Number'>

/**
 * The form of a dialled text; `undefined` for a phone number (wire.md 7.3). `*`, `#` or letters make a code
 * of the switch, few digits an extension, group or service. A blank text is neither, and unrated.
 */
export function unratedForm(dialled: string, settings: DiallingSettings): UnratedForm | undefined {
  if (/[*#\p{L}]/u.test(dialled)) return 'feature_code'
  if (digitsOf(dialled) === '') return undefined
  return ratedDigits(dialled, settings).length < (settings.Shortest_Rated_Number ?? 0)
    ? 'short_number'
    : undefined
}
