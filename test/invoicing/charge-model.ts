import { expect } from 'vitest'
import type { Charge } from '#lib/billing/charges/charge.ts'
import { DRAWN_CUSTOMERS, dataset, FIRST_DAY, YEN_RATE } from './history-steps.ts'

/*
 * What subscriptions cost, computed a second time from the formulas alone: days by the calendar of
 * JavaScript, money in whole numbers. The only thing it has of the code is the row of a charge.
 */

type Cells = Readonly<Record<string, string>>

interface Terms {
  readonly price: bigint
  readonly quantity: number
}

/** The terms of the periods that have begun, by subscription and first day, as they were when each began. */
export interface ChargeModel {
  readonly prices: Map<string, string>
  readonly terms: Map<string, Terms>
}

export const aChargeModel = (): ChargeModel => ({
  prices: new Map(dataset.services.map(({ id, price }) => [id, price])),
  terms: new Map(),
})

const DAY_MS = 86_400_000

const nextDay = (day: string): string => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)

const daysFrom = (from: string, till: string): string[] => {
  const days = []
  for (let day = from; day <= till; day = nextDay(day)) days.push(day)
  return days
}

const lastDayOf = (month: string): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0)).toISOString().slice(0, 10)

const serviceOf = ({ service_id }: Cells) => dataset.services.find(({ id }) => id === service_id)

/** `once`, or the days of the period that a day of a subscription belongs to. */
function periodAt(subscription: Cells, day: string): { readonly from: string; readonly till: string } {
  const { type, period } = serviceOf(subscription) ?? {}
  if (type === 'one_time_fee' || period === 'daily') return { from: day, till: day }
  return { from: `${day.slice(0, 7)}-01`, till: lastDayOf(day.slice(0, 7)) }
}

/** The days that a subscription is to pay for, up to a day. */
function wantedDays(subscription: Cells, last: string): string[] {
  const from = subscription['from']?.slice(0, 10) ?? ''
  const till = subscription['till']?.slice(0, 10) ?? '9999-12-31'
  if (serviceOf(subscription)?.type === 'one_time_fee') return from >= FIRST_DAY && from <= last ? [from] : []
  return daysFrom(from > FIRST_DAY ? from : FIRST_DAY, till < last ? till : last)
}

const micros = (amount: string): bigint => {
  const [, sign = '', whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(amount) ?? []
  return BigInt(`${sign}${whole}${part.padEnd(6, '0')}`)
}

/** Half away from zero. */
const quotient = (dividend: bigint, divisor: bigint): bigint => {
  const size = dividend < 0n ? -dividend : dividend
  return ((2n * size + divisor) / (2n * divisor)) * (dividend < 0n ? -1n : 1n)
}

/** Notes the terms of periods that have begun. To be called after everything that happens. */
export function noteTerms(model: ChargeModel, subscriptions: readonly Cells[], now: string): void {
  for (const subscription of subscriptions)
    for (const day of wantedDays(subscription, now)) {
      const key = `${subscription['id']} ${periodAt(subscription, day).from}`
      if (!model.terms.has(key))
        model.terms.set(key, {
          price: micros(model.prices.get(subscription['service_id'] ?? '') ?? ''),
          quantity: Number(subscription['quantity']),
        })
    }
}

/** The charges of past months are what the formulas say. Without a model, terms are those charged. */
export function expectChargesByFormula(
  subscription: Cells,
  made: readonly Charge[],
  last: string,
  model: ChargeModel | undefined,
): void {
  for (const charge of made) expectFormula(subscription, charge, model)
  const wanted = new Set(wantedDays(subscription, last))
  // A one-time fee stays charged.
  const isOnce = serviceOf(subscription)?.type === 'one_time_fee'
  const charged = isOnce ? [] : made.flatMap(({ from, till }) => daysFrom(from, till))
  const days = [...new Set([...wanted, ...charged])].filter((day) => day <= last)
  const paid = days.filter((day) => !isFree(subscription, day, made, model))
  expect([subscription, paid.map((day) => [day, timesCharged(made, day)])]).toEqual([
    subscription,
    paid.map((day) => [day, wanted.has(day) ? 1 : 0]),
  ])
}

const timesCharged = (made: readonly Charge[], day: string): number =>
  made
    .filter(({ from, till }) => from <= day && day <= till)
    .reduce((sum, { net }) => sum + (net.startsWith('-') ? -1 : 1), 0)

/** Amounts that round to 0 are not charged. Without a model, a period without charges may have been free. */
function isFree(subscription: Cells, day: string, made: readonly Charge[], model: ChargeModel | undefined) {
  const { from } = periodAt(subscription, day)
  if (!model) return !made.some((one) => periodAt(subscription, one.from).from === from)
  const { price, quantity } = model.terms.get(`${subscription['id']} ${from}`) ?? { price: 0n, quantity: 0 }
  return price * BigInt(quantity) < 100n
}

function expectFormula(subscription: Cells, charge: Charge, model: ChargeModel | undefined): void {
  const period = periodAt(subscription, charge.from)
  const noted = model?.terms.get(`${subscription['id']} ${period.from}`)
  const terms = model ? noted : { price: micros(charge.price), quantity: charge.quantity }
  const [days, whole] = [daysFrom(charge.from, charge.till), daysFrom(period.from, period.till)]
  const isRefund = charge.net.startsWith('-')
  const exact = (terms?.price ?? -1n) * BigInt(terms?.quantity ?? 0) * BigInt(days.length)
  const net = quotient(exact, BigInt(whole.length)) * (isRefund ? -1n : 1n)
  const isYen = serviceOf(subscription)?.currency === 'JPY'
  const isPostpaid = DRAWN_CUSTOMERS.find(({ id }) => id === charge.user_id)?.id !== 11
  expect({
    price: micros(charge.price),
    net: micros(charge.net),
    amount: micros(charge.amount),
    ...(!isRefund && { date: charge.date }),
  }).toEqual({
    price: terms?.price,
    net,
    amount: isYen ? quotient(net * 1_000_000n, micros(YEN_RATE)) : net,
    ...(!isRefund && { date: isPostpaid ? charge.till : charge.from }),
  })
}
