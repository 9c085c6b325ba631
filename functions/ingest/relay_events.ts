import { hasHadEndpoints } from '#lib/alerts/endpoint.ts'
import { relayEvents } from '#lib/alerts/relay.ts'
import { webhookQueue } from '#lib/alerts/webhook-queue.ts'
import { invocation } from '#lib/table/invocation.ts'
import { lambdaTableServices } from '#lib/table/store.ts'

const services = lambdaTableServices()
const { send } = webhookQueue(process.env)

/** Puts the events that wait into the queue of webhooks: at once when one is written, and once a minute. */
export const handler = () =>
  invocation(services, 'relay_events', async ({ store }) => ({
    events: (await hasHadEndpoints(store)) ? await relayEvents(store, send, services.clock) : 0,
  }))
