import { randomUUID } from 'node:crypto'
import { secondsOf } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { absent, type Change, is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import type { WebhookDelivery } from './delivery.ts'
import { type AlertEvent, alertKeys, eventOf } from './event.ts'
import { CHALLENGE_EVENT, TEST_EVENT } from './event-types.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly too_many_by_hand: { readonly count: number }
  }
}

/** The endpoint of a test. With a challenge, it has not consented yet. */
interface Tested {
  readonly id: string
  readonly owner: number
  readonly challenge?: string | undefined
}

/** An endpoint that has not consented yet is asked again. */
export function testOf({ id, owner, challenge }: Tested, at: Date): AlertEvent {
  const subject = randomUUID()
  const event =
    challenge === undefined
      ? eventOf({ type: TEST_EVENT, owner, at, subject, data: { endpoint: id } })
      : eventOf({ type: CHALLENGE_EVENT, owner, at, subject, data: { endpoint: id, challenge } })
  return { ...event, only: id }
}

/** An event that is sent to an endpoint again, under the id that it had. */
export const againOf = ({ id, type, owner, body, endpoint }: WebhookDelivery): AlertEvent => ({
  id,
  type,
  owner,
  body,
  only: endpoint,
})

/** The events that people make the sender post for the endpoints of one owner within a minute. */
const MOST_IN_A_MINUTE = 10

/** The change that counts an event made by hand. Throws Refusal beyond the limit. */
export async function countedByHand(store: Store, owner: number, now: Date): Promise<Change> {
  const key = alertKeys.item(`webhooks-${owner}`)
  const minute = Math.floor(secondsOf(now) / 60)
  const before = await store.get(key)
  const count = before?.['minute'] === minute ? Number(before['count']) : 0
  if (count >= MOST_IN_A_MINUTE) throw new Refusal('too_many_by_hand', { count })
  const when = before
    ? { minute: is(before['minute']), count: is(before['count']) }
    : { minute: absent, count: absent }
  return { update: key, to: { set: { minute, count: count + 1 } }, when }
}
