import * as v from 'valibot'
import { countValue, flagValue, nextPageKey, textOrBlank, textValue } from './shapes.ts'

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

export type SuspendedRow = v.InferOutput<typeof suspended>

export const suspenseAnswer = v.object({
  entries: v.array(suspended),
  reasons: v.array(v.object({ reason: textValue, count: countValue })),
  next: nextPageKey,
})

export type SuspenseAnswer = v.InferOutput<typeof suspenseAnswer>

export const suspendedAnswer = v.object({ entry: suspended, format: textValue, text: textValue })

export type SuspendedAnswer = v.InferOutput<typeof suspendedAnswer>

export const retriedAnswer = v.object({
  id: textValue,
  isStored: flagValue,
  reason: textOrBlank,
  detail: textOrBlank,
})

export type RetriedAnswer = v.InferOutput<typeof retriedAnswer>

/** `next` is the key of the next page of the list. */
export const retriedPageAnswer = v.object({ stored: countValue, suspended: countValue, next: nextPageKey })

export type RetriedPageAnswer = v.InferOutput<typeof retriedPageAnswer>

export const droppedAnswer = v.object({ id: textValue })
