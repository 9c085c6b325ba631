import * as v from 'valibot'
import { blankOr, countValue, flagValue, textOrBlank, textValue } from './shapes.ts'

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

export type FiguresOfDay = v.InferOutput<typeof figuresOfDay>

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

export const trafficAnswer = v.object({
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
      /** The moment in the installation's zone when the oldest sums were made; null if no call came since. */
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
})

export type TrafficAnswer = v.InferOutput<typeof trafficAnswer>
