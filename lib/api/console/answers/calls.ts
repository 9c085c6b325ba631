import * as v from 'valibot'
import { SKIP_REASONS } from '#lib/calls/rating/price-changes.ts'
import { blankOr, countValue, flagValue, linkValue, nextPageKey, textOrBlank, textValue } from './shapes.ts'

const call = v.object({
  id: textValue,
  at: textValue,
  from: textValue,
  to: textValue,
  /** The name of its rate; null unless it is asked for. */
  destination: textOrBlank,
  seconds: countValue,
  disposition: textValue,
  cause: countValue,
  customer: linkValue,
  price: textOrBlank,
  /** The reseller's price to the operator: below cost, it exceeds the customer's price or misses the cost. */
  resellerPays: textOrBlank,
  cost: textOrBlank,
  /** The party that is paid less for the call than it pays; null if neither is, or for a customer. */
  loser: blankOr(v.picklist(['operator', 'reseller'])),
})

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

const rating = v.object({
  /** The digits that are looked up. */
  digits: textValue,
  /** How they were found, one sentence for each step; empty for those who do not see providers. */
  numberSteps: v.array(textValue),
  /** The reason why the call costs nothing, regardless of the tariffs. */
  free: textOrBlank,
  steps: v.array(step),
  problem: textOrBlank,
  margin: textOrBlank,
  /** For the operator: the reason why the cost, and with it the margin, is unknown. */
  unknownCost: textOrBlank,
  isBelowCost: flagValue,
})

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

const pricesValue = v.object({ user: textValue, reseller: textValue, provider: textValue })

/** A page of calls that were rated again: what changes, or was changed. */
const rateAgainAnswer = v.object({
  /** The calls of the page, and on the first one the number of all. */
  calls: countValue,
  total: blankOr(countValue),
  same: countValue,
  /** The prices by the oldest kept version of a tariff: that of the call's start is gone. */
  oldest: countValue,
  skipped: v.array(v.object({ reason: v.picklist(SKIP_REASONS), calls: countValue })),
  customers: v.array(
    v.object({ customer: linkValue, calls: countValue, before: pricesValue, after: pricesValue }),
  ),
  /** The run that the next page belongs to; null in a preview. */
  run: textOrBlank,
  next: nextPageKey,
})

const suspended = v.object({
  id: textValue,
  since: textValue,
  source: textValue,
  reason: textValue,
  detail: textValue,
  tries: countValue,
  start: textOrBlank,
  from: textOrBlank,
  to: textOrBlank,
})

const figures = {
  attempts: countValue,
  answered: countValue,
  seconds: countValue,
  revenue: textValue,
  cost: textValue,
  /** The number of calls whose cost is unknown, which have no margin, and their part of the revenue. */
  unknownCost: countValue,
  unknownRevenue: textValue,
}

const figuresOfDay = v.object({ day: textValue, ...figures })

/** The dimensions of `report calls` that have few enough labels to be shown. */
export const TRAFFIC_DIMENSIONS = [
  'day',
  'hour',
  'customer',
  'destination',
  'country',
  'provider',
  'device',
  'disposition',
  'hangupcause',
  'origin',
] as const

/** The answers about calls, re-ratings, suspense and traffic. */
export const CALL_ANSWERS = {
  'GET /calls': v.object({
    calls: v.array(call),
    currency: textValue,
    next: nextPageKey,
    /** The number of calls that were read; a filter may have left out some. */
    read: countValue,
  }),
  'GET /calls/{id}': v.object({
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
    /** The prices by the tariffs of now; null if the call was rated elsewhere or its account is gone. */
    rating: blankOr(rating),
  }),
  'GET /prices': v.object({
    customer: linkValue,
    number: textValue,
    at: textValue,
    seconds: countValue,
    currency: textValue,
    rating,
  }),
  'GET /customers/{id}/may-call': v.object({
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
  }),
  'GET /live-calls': v.object({ calls: v.array(liveCall), total: countValue }),
  'GET /reratings': v.object({
    currency: textValue,
    /** The sums are what customers pay for the changed calls. `options` is the choice of calls in JSON. */
    runs: v.array(
      v.object({
        at: textValue,
        ended: textOrBlank,
        changed: countValue,
        before: textValue,
        after: textValue,
        options: textValue,
      }),
    ),
  }),
  'POST /reratings/preview': rateAgainAnswer,
  'POST /reratings': rateAgainAnswer,
  'GET /suspense': v.object({
    entries: v.array(suspended),
    reasons: v.array(v.object({ reason: textValue, count: countValue })),
    next: nextPageKey,
  }),
  'GET /suspense/{id}': v.object({ entry: suspended, format: textValue, text: textValue }),
  'POST /suspense/{id}/retry': v.object({
    id: textValue,
    isStored: flagValue,
    reason: textOrBlank,
    detail: textOrBlank,
  }),
  /** `next` is the key of the next page of the list. */
  'POST /suspense/retry': v.object({ stored: countValue, suspended: countValue, next: nextPageKey }),
  'DELETE /suspense/{id}': v.object({ id: textValue }),
  'GET /traffic': v.object({
    currency: textValue,
    from: textValue,
    till: textValue,
    /** False for a plain user: then revenue and cost are 0. */
    hasMoney: flagValue,
    /** Each day of the range, also those without calls. */
    days: v.array(figuresOfDay),
    /** The days of the range of the same length before it; empty with groups. */
    before: v.array(figuresOfDay),
    /** The groups of another dimension, the largest revenue first; empty for days. */
    groups: v.array(v.object({ name: textValue, id: blankOr(countValue), ...figures })),
    /** About the groups of all customers or destinations; otherwise null. */
    grouped: blankOr(
      v.object({
        /** When the oldest sums were made, in the installation's zone; null if no call came since. */
        at: textOrBlank,
        /** The number of days with calls that are not in the groups yet. */
        missing: countValue,
        /** The number of calls that cost more than they earn. */
        belowCost: countValue,
        /** Answered calls without a price: the text is neither a phone number nor a listed code. */
        unpriced: countValue,
        /** Calls that somebody charged as of a caller without a usable number; all calls of these days. */
        invalidCallers: countValue,
        calls: countValue,
      }),
    ),
  }),
}

export type CallRowAnswer = v.InferOutput<typeof call>

export type CallsAnswer = v.InferOutput<(typeof CALL_ANSWERS)['GET /calls']>

export type PriceStep = v.InferOutput<typeof step>

export type RatingAnswer = v.InferOutput<typeof rating>

export type CallAnswer = v.InferOutput<(typeof CALL_ANSWERS)['GET /calls/{id}']>

export type PriceAnswer = v.InferOutput<(typeof CALL_ANSWERS)['GET /prices']>

export type MayCallAnswer = v.InferOutput<(typeof CALL_ANSWERS)['GET /customers/{id}/may-call']>

export type LiveCallsAnswer = v.InferOutput<(typeof CALL_ANSWERS)['GET /live-calls']>

export type ReratingsAnswer = v.InferOutput<(typeof CALL_ANSWERS)['GET /reratings']>

export type RateAgainAnswer = v.InferOutput<typeof rateAgainAnswer>

export type SuspendedRow = v.InferOutput<typeof suspended>

export type SuspenseAnswer = v.InferOutput<(typeof CALL_ANSWERS)['GET /suspense']>

export type SuspendedAnswer = v.InferOutput<(typeof CALL_ANSWERS)['GET /suspense/{id}']>

export type FiguresOfDay = v.InferOutput<typeof figuresOfDay>

export type TrafficAnswer = v.InferOutput<(typeof CALL_ANSWERS)['GET /traffic']>
