import { addDays, type Day, type Days, dayOfLocal, LAST_DAY } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { isPositive, isZero, type Money, multiply, roundedQuotient } from '#lib/base/money.ts'
import type { Service } from '../service.ts'
import type { Subscription } from '../subscription.ts'
import { type Charge, periodOfCharge } from './charge.ts'
import {
  CHARGE_DECIMALS,
  type ChargedDays,
  chargePeriodOf,
  daysDue,
  feeOf,
  periodsIn,
  type SubscribedDays,
} from './charge-rules.ts'

/** The price of a period that has begun and is not charged yet. Later prices do not change it. */
export interface PeriodTerms extends Pick<Charge, 'price' | 'quantity' | 'currency'> {
  /** The service and its name, which older notes lack. */
  readonly service_id?: number
  readonly memo?: string
  /** The first day of the period. */
  readonly from: Day
  /** The days of periods that cost nothing when they began, ascending. They have no charges. */
  readonly free?: readonly Days[] | undefined
}

export interface ChargedAccount {
  readonly isPostpaid: boolean
  readonly subscriptions: readonly Subscription[]
  readonly services: ReadonlyMap<number, Service>
  readonly charges: readonly Charge[]
  readonly terms: ReadonlyMap<number, PeriodTerms>
}

export interface ChargeOptions {
  readonly zone: string
  readonly today: Day
  readonly chargesFrom: Day
  /** Periods that ended earlier are not looked at. */
  readonly lookedFrom: Day
  /** Units of a currency for one unit of the default currency, which is meant by a blank. */
  readonly rates: ReadonlyMap<string, Money>
}

/** A charge before it is stored. */
export type NewCharge = Omit<Charge, 'id' | 'booked'>

export interface ChargePlan {
  readonly charges: readonly NewCharge[]
  readonly terms: readonly (readonly [subscription: number, PeriodTerms])[]
  readonly uncharged: readonly string[]
  /** A sentence for each subscription that cannot be charged now. */
  readonly refused: readonly string[]
}

/** The due charges of an account's subscriptions, given the charges already made. */
export function planCharges(account: ChargedAccount, options: ChargeOptions): ChargePlan {
  const found = account.subscriptions.map((one) => subscribedService(account, one, options))
  const services = found.filter((one) => typeof one === 'object')
  const plans = services.map((one) => planService(account.terms.get(one.subscription.id), one, options))
  return {
    charges: plans.flatMap(({ charges }) => charges),
    terms: plans.flatMap(({ terms }) => terms),
    uncharged: found.filter((one) => typeof one === 'string'),
    refused: [...new Set(plans.flatMap(({ refused }) => refused))],
  }
}

interface ChargedService {
  readonly subscription: Subscription
  readonly service: Service
  readonly days: SubscribedDays
  readonly made: ReadonlyMap<Day, readonly Charge[]>
  /** Charges of another kind of period, which the service had before. */
  readonly others: readonly Charge[]
}

/** Returns a sentence for a subscription that is never charged, `undefined` if nothing is due. */
function subscribedService(
  { services, isPostpaid, charges }: ChargedAccount,
  subscription: Subscription,
  { zone, today, chargesFrom }: ChargeOptions,
): ChargedService | string | undefined {
  const from = dayOfLocal(subscription.from, zone)
  const till = subscription.till === undefined ? LAST_DAY : dayOfLocal(subscription.till, zone)
  const service = services.get(subscription.service_id)
  const period = service && chargePeriodOf(service)
  const own = charges.filter(({ subscription_id }) => subscription_id === subscription.id)
  if (!period)
    return from > today || till < chargesFrom ? undefined : unchargedSentence(subscription, service)
  if (period === 'once' && own.some((charge) => charge.period === 'once')) return undefined
  return {
    subscription,
    service,
    days: { period, from, till, isPostpaid },
    made: Map.groupBy(
      own.filter((one) => one.period === period),
      periodOfCharge,
    ),
    others: own.filter((one) => one.period !== period && one.period !== 'once'),
  }
}

function unchargedSentence({ id, service_id }: Subscription, service: Service | undefined): string {
  if (!service) return `subscription ${id}: there is no service ${service_id}`
  const { name, type, period } = service
  const how = [type, period].filter(Boolean).join(' ') || 'of no type'
  return `subscription ${id}: ${name} is never charged (it is ${how}): choose how in service ${service.id}`
}

const periodsToLookAt = (
  { days }: ChargedService,
  { lookedFrom, chargesFrom, today }: ChargeOptions,
): Days[] => periodsIn(days, { from: lookedFrom > chargesFrom ? lookedFrom : chargesFrom, till: today })

/** The periods of a service, one by one. `noted` are the terms that were noted before. */
function planService(
  noted: PeriodTerms | undefined,
  charged: ChargedService,
  options: ChargeOptions,
): Omit<ChargePlan, 'uncharged'> {
  const plans = periodsToLookAt(charged, options).map((whole) => planPeriod(noted, charged, whole, options))
  const running = plans.find(({ isRunning }) => isRunning)?.terms
  const newlyFree = plans.filter(({ isNewlyFree }) => isNewlyFree).map(({ whole }) => whole)
  const free = joinedDays([...(noted?.free ?? []), ...newlyFree])
  const hasFree = free.length > 0
  const isNews = running !== undefined || newlyFree.length > 0
  const terms = running ?? noted ?? plans[0]?.terms
  return {
    charges: plans.flatMap(({ charges }) => charges),
    refused: plans.flatMap(({ refused }) => refused),
    terms: isNews && terms ? [[charged.subscription.id, { ...terms, ...(hasFree && { free }) }]] : [],
  }
}

function planPeriod(
  noted: PeriodTerms | undefined,
  charged: ChargedService,
  whole: Days,
  options: ChargeOptions,
) {
  const made = charged.made.get(whole.from) ?? []
  const known = made[0] ?? notedFor(noted, whole)
  const terms = termsOf(charged, known)
  const isFree = made.length === 0 && wasFree(noted, whole)
  const due = isFree ? [] : dueOf(charged, whole, made, options)
  const isNew = made.length === 0 && hasBegun(charged.days, whole, options)
  return {
    ...chargesOf(due, { ...charged, terms, whole, next: made.length }, options),
    terms: { ...pickTerms(terms), from: whole.from },
    isRunning: isNew && !known && isPaidLater(charged.days, whole, options),
    whole,
    isNewlyFree: isNew && !isFree && costsNothing(terms),
  }
}

const notedFor = (noted: PeriodTerms | undefined, { from }: Days): PeriodTerms | undefined =>
  noted?.from === from ? noted : undefined

/** The terms of a running period are noted for a postpaid account. */
const isPaidLater = ({ isPostpaid }: SubscribedDays, { till }: Days, { today }: ChargeOptions): boolean =>
  isPostpaid && today <= till

const costsNothing = ({ price, quantity }: Terms): boolean => isZero(multiply(price, quantity))

const dueOf = (
  { days, others }: ChargedService,
  whole: Days,
  made: readonly Charge[],
  options: ChargeOptions,
): ChargedDays[] =>
  daysDue(days, whole, made.map(asChargedDays), options).filter(
    (part) => part.isRefund || !others.some((one) => one.from <= part.till && part.from <= one.till),
  )

const wasFree = (noted: PeriodTerms | undefined, { from }: Days): boolean =>
  (noted?.free ?? []).some((one) => one.from <= from && from <= one.till)

/** Whether a subscription has days in a period that has begun. */
const hasBegun = (days: SubscribedDays, { from, till }: Days, { today }: ChargeOptions): boolean =>
  days.from <= today && days.from <= till && days.till >= from && from <= today

/** Days in their order, of which those that follow each other are one. */
function joinedDays(days: readonly Days[]): Days[] {
  const joined: Days[] = []
  for (const one of days.toSorted((a, b) => ascending(a.from, b.from))) {
    const last = joined.at(-1)
    if (!last || addDays(last.till, 1) < one.from) joined.push(one)
    else joined.splice(-1, 1, { from: last.from, till: last.till > one.till ? last.till : one.till })
  }
  return joined
}

/** A refund has the other sign than the price. */
const asChargedDays = ({ from, till, net, price }: Charge): ChargedDays => ({
  from,
  till,
  isRefund: isPositive(net) !== isPositive(price),
})

type Terms = Pick<Charge, 'price' | 'quantity' | 'currency' | 'service_id' | 'memo'>

const pickTerms = ({ price, quantity, currency, service_id, memo }: Terms): Terms => ({
  price,
  quantity,
  currency,
  service_id,
  memo,
})

/** A service that was renamed has its present name. */
function termsOf(charged: ChargedService, known: PeriodTerms | undefined): Terms {
  const present = termsNow(charged)
  const terms = { ...present, ...known }
  return terms.service_id === present.service_id ? { ...terms, memo: present.memo } : terms
}

const termsNow = ({ service, subscription: { quantity } }: ChargedService): Terms =>
  pickTerms({ ...service, quantity, service_id: service.id, memo: service.name })

function chargesOf(
  due: readonly ChargedDays[],
  period: ChargedService & { readonly terms: Terms; readonly whole: Days; readonly next: number },
  { rates, today }: ChargeOptions,
): Pick<ChargePlan, 'charges' | 'refused'> {
  const { subscription, terms, whole, days } = period
  const parts = due.filter((part) => !isZero(feeOf(terms, whole, part)))
  const rate = rates.get(terms.currency)
  if (parts.length === 0) return { charges: [], refused: [] }
  if (rate === undefined)
    return {
      charges: [],
      refused: [`subscription ${subscription.id}: ${terms.currency} has no exchange rate`],
    }
  const charges = parts.map(({ isRefund, from, till }, index) => {
    const net = multiply(feeOf(terms, whole, { from, till }), isRefund ? -1 : 1)
    const due = days.isPostpaid ? till : from
    return {
      ...pickTerms(terms),
      user_id: subscription.user_id,
      subscription_id: subscription.id,
      device_id: subscription.device_id,
      date: isRefund ? today : due,
      from,
      till,
      period: days.period,
      sequence: period.next + index,
      net,
      amount: roundedQuotient(net, rate, CHARGE_DECIMALS),
    }
  })
  return { charges, refused: [] }
}
