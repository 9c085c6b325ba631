import type { ActOutcome } from '#lib/acts/act.ts'
import { listDeliveries } from '#lib/alerts/delivery.ts'
import { type Endpoint, findEndpoint, listEndpoints } from '#lib/alerts/endpoint.ts'
import {
  addWebhook,
  disableWebhook,
  enableWebhook,
  ownerOfWebhooks,
  removeWebhook,
  resendWebhook,
  rotateWebhook,
  testWebhook,
} from '#lib/alerts/endpoint-acts.ts'
import { EVENT_TYPES } from '#lib/alerts/event-types.ts'
import { actOperation } from '#lib/api/console/act-operation.ts'
import { unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { sentText } from '#lib/api/console/values.ts'
import { OWNERS } from '#lib/base/account-types.ts'
import { formatDateTime, formatIso } from '#lib/base/calendar.ts'

/** An accountant reads no secret, and so makes none. */
const callers = OWNERS

const MOST_DELIVERIES = 50

/** `secret` is null unless it is new. */
const changed = {
  show: (_request: ConsoleRequest, { id }: { readonly id: string }, { secret }: ActOutcome<unknown>) => ({
    id,
    secret: secret?.text ?? null,
  }),
}

export const resource = defineResource({
  name: 'webhooks',
  access: 'write',
  operations: [
    operation('GET', '/webhooks', {
      summary: "The account's endpoints of webhooks, and all event types. No answer holds a secret.",
      callers,
      run: async (request) => ({
        endpoints: (await listEndpoints(request.store, ownerOfWebhooks(request.caller))).map((one) =>
          rowOf(one, request),
        ),
        types: Object.entries(EVENT_TYPES).map(([type, { says }]) => ({ type, says })),
      }),
    }),
    actOperation('POST', '/webhooks', addWebhook, changed),
    operation('GET', '/webhooks/{id}/deliveries', {
      summary: `The last ${MOST_DELIVERIES} events that were sent to an endpoint, with its answers, the newest first.`,
      callers,
      params: { id: sentText },
      run: async (request) => {
        const { id } = await endpointOf(request)
        const found = await listDeliveries(request.store, id, MOST_DELIVERIES)
        return {
          id,
          deliveries: found.map(({ id: message, type, tried_at, tries, answer, milliseconds, outcome }) => ({
            message,
            type,
            at: formatIso(tried_at, request.settings.Timezone),
            tries,
            answer,
            milliseconds,
            outcome,
          })),
        }
      },
    }),
    actOperation('POST', '/webhooks/{id}/test', testWebhook, changed),
    actOperation('POST', '/webhooks/{id}/resend', resendWebhook, changed),
    actOperation('POST', '/webhooks/{id}/enable', enableWebhook, changed),
    actOperation('POST', '/webhooks/{id}/disable', disableWebhook, changed),
    actOperation('POST', '/webhooks/{id}/rotate', rotateWebhook, changed),
    actOperation('DELETE', '/webhooks/{id}', removeWebhook, changed),
  ],
})

export const handler = consoleLambda(resource)

type EndpointRequest = Pick<ConsoleRequest, 'store' | 'caller'> & { readonly params: { readonly id: string } }

/** Refuses the endpoint of another owner in the words of a missing one. */
async function endpointOf(request: EndpointRequest): Promise<Endpoint> {
  const { id } = request.params
  const found = /^[\w-]{1,40}$/.test(id)
    ? await findEndpoint(request.store, ownerOfWebhooks(request.caller), id)
    : undefined
  if (!found) throw unknownThing('webhook', id)
  return found
}

const rowOf = (
  { id, url, events, added_at, disabled, failing_since, challenge }: Endpoint,
  { settings: { Timezone } }: Pick<ConsoleRequest, 'settings'>,
) => ({
  id,
  url,
  events: [...events],
  added: formatIso(added_at, Timezone),
  disabled: disabled?.why ?? null,
  disabledAt: disabled ? formatIso(disabled.at, Timezone) : null,
  isAsked: challenge !== undefined,
  failingSince: failing_since === undefined ? null : formatDateTime(failing_since, Timezone),
})
