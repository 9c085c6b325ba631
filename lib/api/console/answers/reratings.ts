import * as v from 'valibot'
import { blankOr, countValue, linkValue, nextPageKey, textOrBlank, textValue } from './shapes.ts'

export const reratingsAnswer = v.object({
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
})

export type ReratingsAnswer = v.InferOutput<typeof reratingsAnswer>

/** A page of calls that were rated again: what changes, or was changed. */
export const rateAgainAnswer = v.object({
  /** The calls of the page, and on the first one the number of all. */
  calls: countValue,
  total: blankOr(countValue),
  same: countValue,
  /** The prices by the oldest kept version of a tariff: that of the call's start is gone. */
  oldest: countValue,
  skipped: v.array(v.object({ reason: textValue, calls: countValue })),
  customers: v.array(
    v.object({
      customer: linkValue,
      calls: countValue,
      prices: v.array(
        v.object({
          payer: v.picklist(['user', 'reseller', 'provider']),
          before: textValue,
          after: textValue,
        }),
      ),
    }),
  ),
  /** The run that the next page belongs to; null in a preview. */
  run: textOrBlank,
  next: nextPageKey,
})

export type RateAgainAnswer = v.InferOutput<typeof rateAgainAnswer>
