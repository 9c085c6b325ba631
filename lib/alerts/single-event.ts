import { randomUUID } from 'node:crypto'
import type { Change } from '#lib/table/requests/changes.ts'
import type { WebhookDelivery } from './delivery.ts'
import type { Endpoint } from './endpoint.ts'
import { eventOf, inOutbox } from './event.ts'
import { TEST_EVENT } from './event-types.ts'

export function testOf({ id, owner }: Pick<Endpoint, 'id' | 'owner'>, at: Date): Change {
  const data = { endpoint: id }
  const event = eventOf({ type: TEST_EVENT, owner, at, subject: randomUUID(), data })
  return inOutbox({ ...event, only: id }, at)
}

/** Sends an event to an endpoint again, under the id that it had. */
export const again = ({ id, type, owner, body, endpoint }: WebhookDelivery, at: Date): Change =>
  inOutbox({ id, type, owner, body, only: endpoint }, at)
