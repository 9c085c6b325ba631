import * as v from 'valibot'
import { blankOr, countValue, flagValue, linkValue, nextPageKey, textOrBlank, textValue } from './shapes.ts'

const call = v.object({
  id: textValue,
  at: textValue,
  from: textValue,
  to: textValue,
  seconds: countValue,
  disposition: textValue,
  cause: countValue,
  customer: linkValue,
  price: textOrBlank,
  /** The reseller's price to the operator: below cost, it exceeds the customer's price or misses the cost. */
  resellerPays: textOrBlank,
  cost: textOrBlank,
  /** Who is paid less for it than it pays; null if nobody is, or for a customer. */
  loser: blankOr(v.picklist(['operator', 'reseller'])),
})

export type CallRowAnswer = v.InferOutput<typeof call>

export const callsAnswer = v.object({
  calls: v.array(call),
  currency: textValue,
  next: nextPageKey,
  /** The number of calls that were read; a filter may have left out some. */
  read: countValue,
})

export type CallsAnswer = v.InferOutput<typeof callsAnswer>

/** The lookup of a number in the tariff of one payer, and the price that it makes. */
const step = v.object({
  payer: v.picklist(['customer', 'reseller', 'provider']),
  tariff: linkValue,
  version: blankOr(countValue),
  /** Null if the tariff has no rate for the number. */
  rate: blankOr(
    v.object({
      prefix: textValue,
      destination: textValue,
      perMinute: textValue,
      fee: textValue,
      currency: textValue,
      increment: countValue,
      minimum: countValue,
      hours: textValue,
      isBlocked: flagValue,
    }),
  ),
  /** How the caller's number decided, a sentence for each step; null for a tariff without origins. */
  caller: blankOr(v.array(textValue)),
  /** Units of the tariff's currency for one unit of the default one; null if they are the same. */
  exchangeRate: textOrBlank,
  billedSeconds: blankOr(countValue),
  /** In the default currency. */
  price: textOrBlank,
})

export type PriceStep = v.InferOutput<typeof step>

const rating = v.object({
  /** The digits that are looked up. */
  digits: textValue,
  /** How they were found, one sentence for each step; empty for those who do not see providers. */
  numberSteps: v.array(textValue),
  /** The reason why the call costs nothing, whatever the tariffs say. */
  free: textOrBlank,
  steps: v.array(step),
  problem: textOrBlank,
  margin: textOrBlank,
  /** For the operator: the reason why the cost, and with it the margin, is unknown. */
  unknownCost: textOrBlank,
  isBelowCost: flagValue,
})

export type RatingAnswer = v.InferOutput<typeof rating>

export const callAnswer = v.object({
  call,
  currency: textValue,
  uniqueid: textValue,
  source: textOrBlank,
  duration: countValue,
  device: blankOr(linkValue),
  provider: textOrBlank,
  isIncoming: flagValue,
  /** Other calls of the customer in the same second with the same numbers and seconds. */
  equal: v.array(v.object({ id: textValue, uniqueid: textValue, source: textOrBlank })),
  prices: v.object({ customer: textOrBlank, reseller: textOrBlank, provider: textOrBlank }),
  /** The prices as the tariffs make them now; null if the call was rated elsewhere or its account is gone. */
  rating: blankOr(rating),
})

export type CallAnswer = v.InferOutput<typeof callAnswer>

export const priceAnswer = v.object({
  customer: linkValue,
  number: textValue,
  at: textValue,
  seconds: countValue,
  currency: textValue,
  rating,
})

export type PriceAnswer = v.InferOutput<typeof priceAnswer>

export const mayCallAnswer = v.object({
  allow: flagValue,
  /** The first rule that refuses. */
  reason: textOrBlank,
  /** How long the call could last. */
  seconds: countValue,
  /** Without Call_Control no switch asks. */
  isAsked: flagValue,
  rules: v.array(
    v.object({ rule: textValue, state: v.picklist(['passed', 'refused', 'not_asked']), says: textValue }),
  ),
})

export type MayCallAnswer = v.InferOutput<typeof mayCallAnswer>

const liveCall = v.object({
  id: countValue,
  start: textValue,
  from: textValue,
  to: textValue,
  destination: textOrBlank,
  customer: blankOr(linkValue),
  provider: textOrBlank,
  /** Seconds since the answer; null while it rings. */
  seconds: blankOr(countValue),
})

export const liveCallsAnswer = v.object({ calls: v.array(liveCall), total: countValue })

export type LiveCallsAnswer = v.InferOutput<typeof liveCallsAnswer>
