import * as v from 'valibot'
import { DAY_SECONDS, secondsOf } from '#lib/base/calendar.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'

/** A delivery to an endpoint, by the moment in milliseconds when it went to the queue. */
export const deliveryKey = keyForm('DELIVERY#<endpoint>', '<at>#<id>')

const schema = v.object({
  endpoint: v.string(),
  at: v.number(),
  /** The id of the event, sent as `webhook-id`. */
  id: v.string(),
  type: v.string(),
  owner: v.number(),
  body: v.string(),
  tries: v.number(),
  /** An ISO date-time. */
  tried_at: v.string(),
  /** The last answer: an HTTP status, or why there was none. */
  answer: v.string(),
  milliseconds: v.number(),
  /** `waiting`: it is tried again. */
  outcome: v.picklist(['delivered', 'waiting', 'failed']),
})

/** An event that was sent to an endpoint. */
export type WebhookDelivery = Readonly<v.InferOutput<typeof schema>>

const KEPT_DAYS = 30

/** Notes the last try. One write unit. */
export const noteDelivery = (store: Store, delivery: WebhookDelivery, now: Date): Promise<unknown> =>
  store.count(deliveryKey(delivery.endpoint, delivery.at, delivery.id), {
    set: { ...delivery, expires_at: secondsOf(now) + KEPT_DAYS * DAY_SECONDS },
  })

/** The last events that were sent to an endpoint, the newest first. */
export async function listDeliveries(
  store: Store,
  endpoint: string,
  count: number,
): Promise<WebhookDelivery[]> {
  const range = deliveryKey.range(endpoint)
  return (await store.firstPage({ ...range, newestFirst: true, pageSize: count })).map(readDelivery)
}

const readDelivery = (item: Item): WebhookDelivery => v.parse(schema, item)
