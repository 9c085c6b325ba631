import pMap from 'p-map'
import { findPayer, type Limits } from '#lib/accounts/limits.ts'
import { type NewEvent, outboxOf } from '#lib/alerts/event.ts'
import {
  addDays,
  DAY_SECONDS,
  type Day,
  dayOf,
  HOUR_SECONDS,
  type Seconds,
  secondsOf,
} from '#lib/base/calendar.ts'
import { add, isLessThan, isPositive, type Money, multiply, ZERO } from '#lib/base/money.ts'
import { countryCodeOf } from '#lib/rates/code.ts'
import { type DiallingPrefixes, ratedDigits } from '#lib/rates/rating.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { exactly, type Item } from '#lib/table/items.ts'
import { keyForm } from '#lib/table/keys.ts'
import { absent } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import type { Call } from '../call.ts'

// Fraud is reported within the hour (docs/call-control.md): the priced calls of a customer to a country
// are summed up by hour of UTC, where a setting asks for it. A function that ends between the call and its
// sum loses that sum: the next calls are reported.

/** Kept for 90 days, after which a country is new again. */
export const countryHoursKey = keyForm('COUNTRIES#<customer>', '<country>#<day>')

const KEPT_SECONDS = 90 * DAY_SECONDS

/** The country code of a number, and in the zone of +1 the area: some of its countries are dear. */
export const countryOf = (digits: string): string =>
  digits.startsWith('1') ? digits.slice(0, 4) : countryCodeOf(digits)

export type FraudSettings = DiallingPrefixes &
  Pick<Settings, 'Fraud_Hour_Amount' | 'New_Country_Rate' | 'Default_Currency' | 'subscribed'>

/** An hour is unusual above this many times the busiest one of the week. */
const UNUSUAL = 4

const WEEK_DAYS = 7

/** Returns whether a first call to a country at this rate a minute, in the default currency, is reported. */
const isDear = (rate: Money, { New_Country_Rate }: Pick<Settings, 'New_Country_Rate'>): boolean =>
  New_Country_Rate !== '' && isLessThan(New_Country_Rate, rate)

const isExpected = ({ known_countries }: Pick<Limits, 'known_countries'>, country: string): boolean =>
  known_countries === 'any' || known_countries.split(',').some((one) => one.trim() === country)

/** Returns whether a call would be the first one to its country, at a rate for which that is refused. */
export async function isNewCountry(
  store: Store,
  account: Pick<Limits, 'known_countries'> & { readonly id: number },
  { digits, rate }: { readonly digits: string; readonly rate: Money },
  settings: Pick<Settings, 'New_Country_Rate' | 'New_Country_Brake'>,
): Promise<boolean> {
  const country = countryOf(digits)
  if (!settings.New_Country_Brake || !isDear(rate, settings) || isExpected(account, country)) return false
  return (await daysOf(store, account.id, country)).length === 0
}

/** At most two of the days with calls to a country. */
const daysOf = (store: Store, customer: number, country: string): Promise<readonly Item[]> =>
  store.firstPage({
    partition: countryHoursKey.range(customer).partition,
    between: [`${country}#0`, `${country}#~`],
    pageSize: 2,
  })

interface WatchedCalls {
  readonly store: Store
  readonly settings: FraudSettings
  readonly now?: Seconds | undefined
}

const CUSTOMERS_AT_ONCE = 8

/** New calls of the last day are summed up. Nothing is written unless a setting asks for it. */
export async function watchCountries(
  { store, settings, now = secondsOf(new Date()) }: WatchedCalls,
  calls: readonly Call[],
): Promise<void> {
  if (settings.Fraud_Hour_Amount === '' && settings.New_Country_Rate === '') return
  const counted = calls.filter((call) => isPriced(call) && call.calldate > now - DAY_SECONDS)
  const placed = counted.map((call) => ({
    call,
    country: countryOf(digitsOf(call, settings)),
    day: dayIn(call),
  }))
  const groups = Map.groupBy(placed, ({ call, country, day }) => `${call.user_id} ${country} ${day}`)
  await pMap(
    groups.values(),
    async ([first, ...others]) => {
      if (!first) return
      const { country, day } = first
      await watchDay(
        { store, settings, country, day },
        [first, ...others].map(({ call }) => call),
      )
    },
    { concurrency: CUSTOMERS_AT_ONCE },
  )
}

const isPriced = ({ incoming, user_price }: Call): boolean =>
  !incoming && user_price !== undefined && isPositive(user_price)

const digitsOf = ({ rated_dst, dst }: Call, settings: FraudSettings): string =>
  rated_dst ?? ratedDigits(dst, settings)

const dayIn = ({ calldate }: Call): Day => dayOf(calldate, 'UTC')

const hourIn = ({ calldate }: Call): number => Math.floor(calldate / HOUR_SECONDS) % 24

/** The calls of a customer to a country on a day. */
interface WatchedDay {
  readonly store: Store
  readonly settings: FraudSettings
  readonly country: string
  readonly day: Day
}

const amountIn = (item: Item, hour: number): Money => String(item[`amount ${hour}`] ?? ZERO)

const secondsIn = (item: Item, hour: number): number => Number(item[`seconds ${hour}`] ?? 0)

const isReported = (item: Item, hour: number): boolean => item[`told ${hour}`] === true

async function watchDay(watch: WatchedDay, calls: readonly Call[]): Promise<void> {
  const { store, settings, country, day } = watch
  const [{ user_id: customer = 0, owner_id: owner = 0 } = {}] = calls
  const hours = Map.groupBy(calls, hourIn)
  const sums = [...hours].flatMap(([hour, ofHour]) => [
    [`amount ${hour}`, exactly(add(...ofHour.map(customerPrice)))],
    [`seconds ${hour}`, ofHour.reduce((sum, { billsec }) => sum + billsec, 0)],
  ])
  const expires_at = Math.max(...calls.map(({ calldate }) => calldate)) + KEPT_SECONDS
  const key = countryHoursKey(customer, country, day)
  const item = await store.update(key, {
    set: { expires_at },
    add: { calls: calls.length, ...Object.fromEntries(sums) },
  })
  const notify = (mark: string, moment: Seconds, data: Item) => {
    const at = new Date(moment * 1000)
    const subject = `${customer} ${country} ${day} ${mark}`
    const values = { account: customer, owner, country, ...data, currency: settings.Default_Currency }
    return notifyOnce(watch, key, mark, { type: 'fraud.suspected', owner, at, subject, data: values })
  }
  const first = calls.find((call) => isDear(call.user_rate ?? ZERO, settings))
  if (first && Number(item['calls']) === calls.length && (await isFirstDay(watch, customer)))
    await notify('told new', first.calldate, { why: 'new_country', rate: first.user_rate })
  for (const hour of hours.keys()) {
    const usual = await exceeded(watch, customer, item, hour)
    if (usual === undefined) continue
    const start = secondsOf(new Date(`${day}T00:00:00Z`)) + hour * HOUR_SECONDS
    const minutes = Math.round(secondsIn(item, hour) / 60)
    await notify(`told ${hour}`, start, { why: 'hour', minutes, amount: amountIn(item, hour), usual })
  }
}

const customerPrice = ({ user_price = ZERO }: Call): Money => user_price

const isFirstDay = async ({ store, country }: WatchedDay, customer: number): Promise<boolean> => {
  if ((await daysOf(store, customer, country)).length > 1) return false
  const account = await findPayer(store, customer)
  return account !== undefined && !isExpected(account, country)
}

/**
 * The amount of the busiest hour of the week, if an hour is above the setting and far above it; otherwise
 * `undefined`. An hour that was reported on this day or the one before is not usual yet.
 */
async function exceeded(
  { store, settings: { Fraud_Hour_Amount }, country, day }: WatchedDay,
  customer: number,
  item: Item,
  hour: number,
): Promise<Money | undefined> {
  const amount = amountIn(item, hour)
  if (Fraud_Hour_Amount === '' || isReported(item, hour) || !isLessThan(Fraud_Hour_Amount, amount))
    return undefined
  const week = await store.list({
    partition: countryHoursKey.range(customer).partition,
    between: [`${country}#${addDays(day, -WEEK_DAYS)}`, `${country}#${day}`],
  })
  const [yesterday, today] = [addDays(day, -1), day].map((one) => countryHoursKey(customer, country, one).SK)
  const usual = week.flatMap((one) =>
    HOURS.filter(
      (other) =>
        !(one['SK'] === today && other === hour) &&
        !((one['SK'] === today || one['SK'] === yesterday) && isReported(one, other)),
    ).map((other) => ({ amount: amountIn(one, other), seconds: secondsIn(one, other) })),
  )
  const busiest = usual.reduce((most, one) => (isLessThan(most, one.amount) ? one.amount : most), ZERO)
  const longest = Math.max(0, ...usual.map(({ seconds }) => seconds))
  const isUnusual =
    isLessThan(multiply(busiest, String(UNUSUAL)), amount) || secondsIn(item, hour) > UNUSUAL * longest
  return isUnusual ? busiest : undefined
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** The first function that notes it reports it. The count in the log is for the alarm. */
async function notifyOnce(
  { store, settings }: WatchedDay,
  update: ReturnType<typeof countryHoursKey>,
  mark: string,
  event: NewEvent & { readonly type: 'fraud.suspected' },
): Promise<void> {
  const noted = { update, to: { set: { [mark]: true } }, when: { [mark]: absent } }
  if (await hasWritten(store.transact([noted, ...outboxOf(settings, event)])))
    store.meter.note('fraud_suspected', 1)
}
