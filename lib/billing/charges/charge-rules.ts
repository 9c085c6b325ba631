import { addDays, countOfDays, type Day, type Days, firstOfMonth } from '#lib/base/calendar.ts'
import { isPositive, type Money, multiply, roundedQuotient } from '#lib/base/money.ts'

/** How often a subscription is charged. */
export const CHARGE_PERIODS = ['once', 'day', 'month'] as const

export type ChargePeriod = (typeof CHARGE_PERIODS)[number]

const PERIODS_OF_FEES: ReadonlyMap<string, ChargePeriod> = new Map([
  ['day', 'day'],
  ['daily', 'day'],
  ['month', 'month'],
  ['monthly', 'month'],
])

/** The period of a service's charges; `undefined` if it is never charged (wire.md services_get). */
export function chargePeriodOf(service: {
  readonly type: string
  readonly period: string
}): ChargePeriod | undefined {
  const [type, period] = [service.type, service.period].map((word) => word.trim().toLowerCase())
  if (type === 'one_time_fee') return 'once'
  return type === 'periodic_fee' ? PERIODS_OF_FEES.get(period ?? '') : undefined
}

/** How a service is charged, as people choose it. */
export const CHARGED = ['once', 'monthly', 'daily', 'never_charged'] as const

export type Charged = (typeof CHARGED)[number]

const CHARGED_BY_PERIOD: Readonly<Record<ChargePeriod, Charged>> = {
  once: 'once',
  month: 'monthly',
  day: 'daily',
}

export const chargedOf = (service: Parameters<typeof chargePeriodOf>[0]): Charged => {
  const period = chargePeriodOf(service)
  return period ? CHARGED_BY_PERIOD[period] : 'never_charged'
}

/** A service has a price that no subscription pays. */
export const isUncharged = (service: Parameters<typeof chargePeriodOf>[0] & { readonly price: Money }) =>
  isPositive(service.price) && !chargePeriodOf(service)

/** The columns of a service that is charged so, which the API prints. */
export const COLUMNS_OF_CHARGED: Readonly<
  Record<Charged, { readonly type: string; readonly period: string }>
> = {
  once: { type: 'one_time_fee', period: '' },
  monthly: { type: 'periodic_fee', period: 'monthly' },
  daily: { type: 'periodic_fee', period: 'daily' },
  never_charged: { type: '', period: '' },
}

/** The days of a subscription, in the zone of the installation. Both belong to it. */
export interface SubscribedDays extends Days {
  readonly period: ChargePeriod
  /** A postpaid account pays for a period when it is over, a prepaid one when it begins. */
  readonly isPostpaid: boolean
}

/** Days that were charged, or given back. */
export interface ChargedDays extends Days {
  readonly isRefund: boolean
}

export const lastOfMonth = (day: Day): Day => addDays(firstOfMonth(addDays(firstOfMonth(day), 31)), -1)

/** The days that two ranges have in common. */
const common = (one: Days, other: Days): Days => ({
  from: one.from > other.from ? one.from : other.from,
  till: one.till < other.till ? one.till : other.till,
})

const isIn = (day: Day, { from, till }: Days): boolean => from <= day && day <= till

/** The whole periods that have days of a range, ascending. A one-time fee is that of the first day. */
export function periodsIn({ period, from }: SubscribedDays, days: Days): Days[] {
  if (period === 'once') return isIn(from, days) ? [{ from, till: from }] : []
  const periods: Days[] = []
  for (let day = period === 'day' ? days.from : firstOfMonth(days.from); day <= days.till; ) {
    const till = period === 'day' ? day : lastOfMonth(day)
    periods.push({ from: day, till })
    day = addDays(till, 1)
  }
  return periods
}

/** The days that decide which charges are due. */
export interface DueOptions {
  readonly today: Day
  /** No earlier day is charged. */
  readonly chargesFrom: Day
}

/**
 * The days of a period that are to be charged or given back, compared with earlier charges. A one-time fee is
 * never given back, and a period that is no longer wanted is, whether or not it is over.
 */
export function daysDue(
  subscribed: SubscribedDays,
  whole: Days,
  charged: readonly ChargedDays[],
  { today, chargesFrom }: DueOptions,
): ChargedDays[] {
  const subscribedDays = common(whole, subscribed)
  const wanted = common(subscribedDays, { from: chargesFrom, till: whole.till })
  const isDue = subscribed.isPostpaid ? today > wanted.till : today >= wanted.from
  const isRefunded = subscribed.period !== 'once'
  const toRefund = (day: Day) => (isRefunded && !isIn(day, subscribedDays) ? true : undefined)
  const toCharge = (day: Day) => (isDue && isIn(day, wanted) ? false : undefined)
  return rangesOf(whole, (day) => (isCharged(day, charged) ? toRefund : toCharge)(day))
}

function isCharged(day: Day, charged: readonly ChargedDays[]): boolean {
  const those = charged.filter((one) => isIn(day, one))
  return those.length > 2 * those.filter(({ isRefund }) => isRefund).length
}

/** Joins neighbouring days that are refunded (`true`) or charged (`false`). */
function rangesOf({ from, till }: Days, due: (day: Day) => boolean | undefined): ChargedDays[] {
  const ranges: ChargedDays[] = []
  for (let day = from; day <= till; day = addDays(day, 1)) {
    const isRefund = due(day)
    const last = ranges.at(-1)
    if (isRefund === undefined) continue
    if (last?.isRefund === isRefund && addDays(last.till, 1) === day)
      ranges.splice(-1, 1, { ...last, till: day })
    else ranges.push({ from: day, till: day, isRefund })
  }
  return ranges
}

/** Charges have as many decimals as prices. */
export const CHARGE_DECIMALS = 6

/** The fee of some days of a period: its part by calendar days, rounded once, half away from zero. */
export function feeOf(
  { price, quantity }: { readonly price: Money; readonly quantity: number },
  whole: Days,
  days: Days,
): Money {
  const parts = multiply(multiply(price, quantity), countOfDays(days))
  return roundedQuotient(parts, String(countOfDays(whole)), CHARGE_DECIMALS)
}
