import * as v from 'valibot'
import { countValue, flagValue, textOrBlank, textValue } from './shapes.ts'

const endpoint = v.object({
  id: textValue,
  url: textValue,
  events: v.array(textValue),
  added: textValue,
  /** Why and since when it is disabled; both null if it is not. */
  disabled: textOrBlank,
  disabledAt: textOrBlank,
  /** True until its receiver echoes the challenge that it was sent: it gets no event before. */
  isAsked: flagValue,
  /** The first failure since the last success; null if there is none. */
  failingSince: textOrBlank,
})

/** The endpoints of the account, without their secrets, and all event types. */
export const webhooksAnswer = v.object({
  endpoints: v.array(endpoint),
  types: v.array(v.object({ type: textValue, says: textValue })),
})

export type WebhooksAnswer = v.InferOutput<typeof webhooksAnswer>

/** `secret` is null unless it is new: it is shown this once. */
export const changedWebhookAnswer = v.object({ id: textValue, secret: textOrBlank })

export type ChangedWebhookAnswer = v.InferOutput<typeof changedWebhookAnswer>

const delivery = v.object({
  /** The webhook-id. */
  message: textValue,
  type: textValue,
  at: textValue,
  tries: countValue,
  /** The HTTP status, or why there was none. */
  answer: textValue,
  milliseconds: countValue,
  outcome: v.picklist(['delivered', 'waiting', 'failed']),
})

/** The deliveries to an endpoint, newest first. */
export const deliveriesAnswer = v.object({ id: textValue, deliveries: v.array(delivery) })

export type DeliveriesAnswer = v.InferOutput<typeof deliveriesAnswer>
