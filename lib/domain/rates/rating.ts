import { type Seconds, wallClock } from '#lib/domain/calendar.ts'
import {
  add,
  isPositive,
  type Money,
  multiply,
  ONE,
  roundedQuotient,
  subtract,
  ZERO,
} from '#lib/domain/money.ts'
import type { Settings } from '#lib/domain/settings.ts'

export const DAY_TYPES = ['everyday', 'weekday', 'weekend'] as const

export type DayType = (typeof DAY_TYPES)[number]

/** One row of a tariff. Times are `HH:MM:SS` of the installation's zone, both ends belong to the window. */
export interface Rate {
  readonly prefix: string
  /** Unix seconds; in force from the beginning when there is none. */
  readonly effective_from: Seconds | undefined
  readonly start_time: string
  readonly end_time: string
  readonly daytype: DayType
  /** For a minute. */
  readonly tariff_rate: Money
  /** For the connection. */
  readonly con_fee: Money
  /** Seconds. */
  readonly increment: number
  readonly min_time: number
  readonly direction: string
  /** The destination's name. */
  readonly destination: string
  readonly code: string
}

/** A moment, and the zone whose clocks and days of the week decide. */
export interface When {
  readonly at: Seconds
  readonly zone: string
}

/**
 * The rate of a dialled number: of the rates in force whose prefix is a leading part of the digits, the one of the
 * longest prefix (wire.md rate_get). `ratesOf` answers all rates of exactly one prefix.
 */
export function matchRate(
  ratesOf: (prefix: string) => readonly Rate[],
  digits: string,
  when: When,
): Rate | undefined {
  const best = bestAt(when)
  for (const prefix of leadingParts(digits)) {
    const rate = best(ratesOf(prefix))
    if (rate) return rate
  }
  return undefined
}

/** Of the rates of one prefix the one that counts at a moment, if any is in force. */
export function bestAt(when: When): (rates: readonly Rate[]) => Rate | undefined {
  const isInForce = inForceAt(when)
  return (rates) => rates.filter(isInForce).sort(byPreference)[0]
}

/** Effective, of a fitting day type, in its window: `start_time` after `end_time` wraps over midnight. */
function inForceAt({ at, zone }: When): (rate: Rate) => boolean {
  const { time, weekday } = wallClock(at, zone)
  const yesterday = weekday === 1 ? 7 : weekday - 1
  const isInWindow = ({ start_time, end_time, daytype }: Rate): boolean => {
    if (start_time <= end_time) return start_time <= time && time <= end_time && fits(daytype, weekday)
    if (time >= start_time) return fits(daytype, weekday)
    return time <= end_time && fits(daytype, yesterday)
  }
  return (rate) => (rate.effective_from ?? 0) <= at && isInWindow(rate)
}

const SATURDAY = 6

/** A window over midnight belongs to the day it began. */
const fits = (daytype: DayType, weekday: number): boolean =>
  daytype === 'everyday' || (daytype === 'weekend') === weekday >= SATURDAY

/**
 * Orders several rates of one prefix: windows first, then the newest effective_from, then weekday and weekend before
 * everyday, then the latest start_time (wire.md rate_get); the shorter window, where even these are the same.
 */
function byPreference(one: Rate, other: Rate): number {
  return (
    Number(windowLength(one) === WHOLE_DAY) - Number(windowLength(other) === WHOLE_DAY) ||
    (other.effective_from ?? 0) - (one.effective_from ?? 0) ||
    Number(one.daytype === 'everyday') - Number(other.daytype === 'everyday') ||
    other.start_time.localeCompare(one.start_time) ||
    windowLength(one) - windowLength(other)
  )
}

const WHOLE_DAY = 86_400

/** In seconds by the clock, both ends included. */
const windowLength = ({ start_time, end_time }: Rate): number =>
  ((secondsOf(end_time) - secondsOf(start_time) + WHOLE_DAY) % WHOLE_DAY) + 1

const secondsOf = (time: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

const PRICE_DECIMALS = 6

/**
 * What a call of `billsec` seconds costs in the default currency, of which one unit is `exchangeRate` units of the rate's:
 * billed seconds are rounded up to the increment, at least min_time; the price is rounded once, to 6 decimals, half away
 * from zero (wire.md 4.4, 7.2). A call in which nobody talked costs nothing.
 */
export function priceOf(
  {
    tariff_rate,
    con_fee,
    increment,
    min_time,
  }: Pick<Rate, 'tariff_rate' | 'con_fee' | 'increment' | 'min_time'>,
  billsec: number,
  exchangeRate: Money = ONE,
): { billed_seconds: number; price: Money } {
  if (billsec <= 0) return { billed_seconds: 0, price: ZERO }
  const step = Math.max(increment, 1)
  const billed_seconds = Math.max(Math.ceil(billsec / step) * step, min_time)
  const sixtyfold = add(multiply(con_fee, 60), multiply(tariff_rate, billed_seconds))
  return { billed_seconds, price: roundedQuotient(sixtyfold, multiply(exchangeRate, 60), PRICE_DECIMALS) }
}

/** What a call costs whom; a price that is not known is missing. */
interface Prices {
  readonly user_price?: Money | undefined
  readonly reseller_price?: Money | undefined
  readonly provider_price?: Money | undefined
  /** Whether nobody stands between the customer and admin. */
  readonly direct: boolean
}

/** Whether somebody sells a call for less than it pays: a reseller to its customer, or admin to who pays admin. */
export function isBelowCost({ user_price, reseller_price, provider_price, direct }: Prices): boolean {
  const paidToAdmin = direct ? user_price : reseller_price
  return isLess(paidToAdmin, provider_price) || (!direct && isLess(user_price, reseller_price))
}

const isLess = (price: Money | undefined, cost: Money | undefined): boolean =>
  price !== undefined && cost !== undefined && isPositive(subtract(cost, price))

/** How people dial out of the country, and within it. */
export type DiallingPrefixes = Pick<Settings, 'International_Prefix' | 'National_Prefix' | 'Country_Code'>

/**
 * The digits by which a dialled number is rated: with its country code, and without what is dialled before it
 * (wire.md 7.3). A `+` or the international prefix is cut; the national prefix is cut and the country code put in its place.
 */
export function ratedDigits(dialled: string, prefixes: DiallingPrefixes): string {
  const { International_Prefix, National_Prefix, Country_Code } = prefixes
  const digits = digitsOf(dialled)
  if (dialled.trim().startsWith('+')) return digits
  if (begins(digits, International_Prefix)) return digits.slice(International_Prefix.length)
  return begins(digits, National_Prefix) ? Country_Code + digits.slice(National_Prefix.length) : digits
}

const begins = (digits: string, prefix: string): boolean => prefix !== '' && digits.startsWith(prefix)

/** At most this many digits of a dialled number are looked at, and no prefix has more (wire.md rate_get). */
export const LONGEST_PREFIX = 30

/** The digits of what somebody dialled or typed; everything else is stripped. */
export const digitsOf = (dialled: string): string => dialled.replace(/\D/g, '')

/** Every leading part of the digits that can be a prefix, the longest first. */
export function leadingParts(digits: string): string[] {
  const longest = Math.min(digits.length, LONGEST_PREFIX)
  return Array.from({ length: longest }, (_, dropped) => digits.slice(0, longest - dropped))
}

/** A prefix as carriers write it (`+370 6`, `370-6`) in plain digits; `undefined` when it is not one. */
export function prefixOf(text: string): string | undefined {
  const plain = text.replace(/^[\s\u00A0]*\+/, '').replace(/[\s\u00A0().-]/g, '')
  return /^\d{1,30}$/.test(plain) ? plain : undefined
}
