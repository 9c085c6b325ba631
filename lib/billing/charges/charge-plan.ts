import { type Day, type Days, dayOf, LAST_DAY } from '#lib/base/calendar.ts'
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

/** The price of a period that has begun and is not charged yet. A later price of the service does not change it. */
export interface PeriodTerms extends Pick<Charge, 'price' | 'quantity' | 'currency'> {
  /** The first day of the period. */
  readonly from: Day
}

/** An account with its subscriptions, and what was charged for them. */
export interface ChargedAccount {
  readonly isPostpaid: boolean
  readonly subscriptions: readonly Subscription[]
  readonly services: ReadonlyMap<number, Service>
  /** The charges of the periods that are looked at. */
  readonly charges: readonly Charge[]
  /** The noted terms, by subscription. */
  readonly terms: ReadonlyMap<number, PeriodTerms>
}

export interface ChargeOptions {
  readonly zone: string
  readonly today: Day
  /** The setting Charges_From. */
  readonly chargesFrom: Day
  /** Periods that ended earlier are not looked at. */
  readonly lookedFrom: Day
  /** Units of a currency for one unit of the default currency, which blank stands for. */
  readonly rates: ReadonlyMap<string, Money>
}

/** A charge before it is stored. */
export type NewCharge = Omit<Charge, 'id' | 'booked'>

export interface ChargePlan {
  /** What is due. */
  readonly charges: readonly NewCharge[]
  /** The terms to note, by subscription. */
  readonly terms: readonly (readonly [subscription: number, PeriodTerms])[]
  /** A sentence for each subscription of a service that nothing charges. */
  readonly uncharged: readonly string[]
  /** A sentence for each subscription that cannot be charged now. */
  readonly refused: readonly string[]
}

/** What is due for the subscriptions of an account, from what was charged for them. */
export function planCharges(account: ChargedAccount, options: ChargeOptions): ChargePlan {
  const found = account.subscriptions.map((one) => subscribedService(account, one, options))
  const services = found.filter((one) => typeof one === 'object')
  const plans = services.flatMap((one) =>
    periodsToLookAt(one, options).map((whole) => planPeriod(account, one, whole, options)),
  )
  return {
    charges: plans.flatMap(({ charges }) => charges),
    terms: plans.flatMap(({ terms }) => terms),
    uncharged: found.filter((one) => typeof one === 'string'),
    refused: [...new Set(plans.flatMap(({ refused }) => refused))],
  }
}

/** A subscription whose service is charged. */
interface ChargedService {
  readonly subscription: Subscription
  readonly service: Service
  readonly days: SubscribedDays
  /** Its charges, by the first day of their period. */
  readonly made: ReadonlyMap<Day, readonly Charge[]>
  /** Charges of another kind of period, which the service had before. */
  readonly others: readonly Charge[]
}

/** Returns a sentence for a subscription that nothing charges, and `undefined` for one that has nothing to charge. */
function subscribedService(
  { services, isPostpaid, charges }: ChargedAccount,
  subscription: Subscription,
  { zone, today, chargesFrom }: ChargeOptions,
): ChargedService | string | undefined {
  const from = dayOf(subscription.from, zone)
  const till = subscription.till === undefined ? LAST_DAY : dayOf(subscription.till, zone)
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
  return `subscription ${id}: nothing charges ${name}, which is ${[type, period].filter(Boolean).join(' ') || 'of no type'}`
}

const periodsToLookAt = (
  { days }: ChargedService,
  { lookedFrom, chargesFrom, today }: ChargeOptions,
): Days[] => periodsIn(days, { from: lookedFrom > chargesFrom ? lookedFrom : chargesFrom, till: today })

function planPeriod(
  account: ChargedAccount,
  charged: ChargedService,
  whole: Days,
  options: ChargeOptions,
): Omit<ChargePlan, 'uncharged'> {
  const { days, others } = charged
  const made = charged.made.get(whole.from) ?? []
  const due = daysDue(days, whole, made.map(asChargedDays), options).filter(
    (part) => part.isRefund || !others.some((one) => one.from <= part.till && part.from <= one.till),
  )
  const noted = account.terms.get(charged.subscription.id)
  const terms = made[0] ?? (noted?.from === whole.from ? noted : termsNow(charged))
  const isNoted = made.length > 0 || noted?.from === whole.from || !isRunning(days, whole, options)
  return {
    ...chargesOf(due, { ...charged, terms, whole, next: made.length }, options),
    terms: isNoted ? [] : [[charged.subscription.id, { ...pickTerms(terms), from: whole.from }]],
  }
}

/** A period of which a postpaid account pays later. */
const isRunning = (days: SubscribedDays, { from, till }: Days, { today }: ChargeOptions): boolean =>
  days.isPostpaid && days.from <= today && days.till >= from && from <= today && today <= till

/** A refund has the other sign than the price. */
const asChargedDays = ({ from, till, net, price }: Charge): ChargedDays => ({
  from,
  till,
  isRefund: isPositive(net) !== isPositive(price),
})

type Terms = Pick<Charge, 'price' | 'quantity' | 'currency'>

const pickTerms = ({ price, quantity, currency }: Terms): Terms => ({ price, quantity, currency })

const termsNow = ({ service, subscription: { quantity } }: ChargedService): Terms => ({
  ...pickTerms({ ...service, quantity }),
})

interface PeriodToCharge extends ChargedService {
  readonly terms: Terms
  readonly whole: Days
  /** The sequence of its next charge. */
  readonly next: number
}

function chargesOf(
  due: readonly ChargedDays[],
  period: PeriodToCharge,
  { rates, today }: ChargeOptions,
): Pick<ChargePlan, 'charges' | 'refused'> {
  const { subscription, service, terms, whole, days } = period
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
      service_id: service.id,
      device_id: subscription.device_id,
      date: isRefund ? today : due,
      from,
      till,
      period: days.period,
      sequence: period.next + index,
      net,
      amount: roundedQuotient(net, rate, CHARGE_DECIMALS),
      memo: service.name,
    }
  })
  return { charges, refused: [] }
}
