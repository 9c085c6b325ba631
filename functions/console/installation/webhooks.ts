import { listDeliveries } from '#lib/alerts/delivery.ts'
import {
  addEndpoint,
  changeByHand,
  type Endpoint,
  endpointUrlRefusal,
  findEndpoint,
  listEndpoints,
} from '#lib/alerts/endpoint.ts'
import { EVENT_TYPES, isEventType } from '#lib/alerts/event-types.ts'
import { isMailUrl } from '#lib/alerts/mail.ts'
import { againOf, sendByHand, testOf } from '#lib/alerts/single-event.ts'
import { changedWebhookAnswer, deliveriesAnswer, webhooksAnswer } from '#lib/api/console/answers/webhooks.ts'
import { ConsoleRefusal, invalidValue, unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { oneWord, plainText, sentText } from '#lib/api/console/values.ts'
import { formatDateTime, formatIso } from '#lib/base/calendar.ts'
import { ADMIN_ACCOUNT, actsFor } from '#lib/base/scope.ts'

/** An accountant reads no secret, and so makes none. */
const callers = ['admin', 'reseller', 'partner'] as const

const MOST_DELIVERIES = 50

const changeParams = {
  id: sentText,
  action: oneWord('test', 'enable', 'disable', 'rotate', 'resend'),
  message: plainText,
}

export const resource = defineResource({
  name: 'webhooks',
  access: 'write',
  operations: [
    operation('GET', '/webhooks', {
      summary: "The account's endpoints of webhooks, and all event types. No answer holds a secret.",
      callers,
      answer: webhooksAnswer,
      run: async (request) => ({
        endpoints: (await listEndpoints(request.store, ownerOf(request))).map((one) => rowOf(one, request)),
        types: Object.entries(EVENT_TYPES).map(([type, { says }]) => ({ type, says })),
      }),
    }),
    operation('POST', '/webhooks', {
      summary: 'Adds an endpoint for events with commas between them. The answer has its secret, this once.',
      callers,
      params: { url: plainText, events: plainText },
      answer: changedWebhookAnswer,
      run: async (request) => {
        const { store, params, clock, logged } = request
        const url = endpointUrl(request)
        const events = eventsIn(params.events)
        const owner = ownerOf(request)
        const added = await addEndpoint(store, { owner, url, events }, clock(), (action) =>
          logged({ action }),
        )
        if (typeof added === 'string') throw new ConsoleRefusal('conflict', `${added}.`)
        return { id: added.id, secret: isMailUrl(url) ? null : added.secret }
      },
    }),
    operation('GET', '/webhooks/{id}/deliveries', {
      summary: `The last ${MOST_DELIVERIES} events that were sent to an endpoint, with its answers, the newest first.`,
      callers,
      params: { id: sentText },
      answer: deliveriesAnswer,
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
    operation('POST', '/webhooks/{id}', {
      summary:
        'Does something with an endpoint: test sends an event, resend the one of a message again; enable, disable, and rotate, which answers a new secret.',
      callers,
      params: changeParams,
      answer: changedWebhookAnswer,
      run: async (request) => {
        const endpoint = await endpointOf(request)
        const { action } = request.params
        if (action === undefined) throw invalidValue('action is missing.')
        return { id: endpoint.id, secret: (await ACTIONS[action](request, endpoint)) ?? null }
      },
    }),
    operation('DELETE', '/webhooks/{id}', {
      summary: 'Removes an endpoint. What waits for it is not sent any more.',
      callers,
      params: { id: sentText },
      answer: changedWebhookAnswer,
      run: async (request) => {
        const endpoint = await endpointOf(request)
        await changed(request, endpoint, 'remove')
        return { id: endpoint.id, secret: null }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

/** A reseller or partner has endpoints for its own customers, all admins have those of account 0. */
const ownerOf = ({ caller }: Pick<ConsoleRequest, 'caller'>): number => actsFor(caller) ?? ADMIN_ACCOUNT

type EndpointRequest = Pick<ConsoleRequest, 'store' | 'caller'> & { readonly params: { readonly id: string } }

/** Refuses the endpoint of another owner in the words of a missing one. */
async function endpointOf(request: EndpointRequest): Promise<Endpoint> {
  const { id } = request.params
  const found = /^[\w-]{1,40}$/.test(id) ? await findEndpoint(request.store, ownerOf(request), id) : undefined
  if (!found) throw unknownThing('webhook', id)
  return found
}

function endpointUrl({
  params: { url },
  settings,
  caller,
}: ConsoleRequest<{ url: typeof plainText }>): string {
  if (url === undefined) throw invalidValue('url is missing.')
  const refusal = endpointUrlRefusal(url, ownerOf({ caller }), settings)
  if (refusal !== undefined) throw invalidValue(`url ${refusal}.`)
  return url
}

function eventsIn(list = '') {
  const names = [...new Set(list.split(',').map((name) => name.trim()))].filter(Boolean)
  if (names.length === 0) throw invalidValue('events is missing: name some, with commas between them.')
  return names.map((name) => {
    if (isEventType(name)) return name
    throw invalidValue(`events has "${name}": there is no such event.`)
  })
}

type Action = (
  request: ConsoleRequest<typeof changeParams>,
  endpoint: Endpoint,
) => Promise<string | undefined>

/** Carries out an action on an endpoint. Returns its secret if that is new. */
const ACTIONS: Readonly<Record<'test' | 'enable' | 'disable' | 'rotate' | 'resend', Action>> = {
  test: async ({ store, clock, logged }, endpoint) => {
    const by = { now: clock(), logged: [logged({ action: `tested the webhook ${endpoint.id}` })] }
    refuseMany(await sendByHand(store, endpoint, testOf(endpoint, by.now), by))
    return undefined
  },
  resend: async ({ store, clock, logged, params: { message = '' } }, endpoint) => {
    const { id } = endpoint
    const sent = (await listDeliveries(store, id, MOST_DELIVERIES)).find((one) => one.id === message)
    if (!sent) throw unknownThing('delivery', message)
    const by = { now: clock(), logged: [logged({ action: `sent ${message} to ${id} again` })] }
    refuseMany(await sendByHand(store, endpoint, againOf(sent), by))
    return undefined
  },
  enable: (request, endpoint) => changed(request, endpoint, 'enable'),
  disable: (request, endpoint) => changed(request, endpoint, 'disable'),
  rotate: (request, endpoint) => changed(request, endpoint, 'rotate'),
}

function refuseMany(refusal: string | undefined): void {
  if (refusal !== undefined) throw new ConsoleRefusal('too_many_requests', `${refusal}.`)
}

/** Returns the secret if that is new. */
async function changed(
  { store, clock, logged }: Pick<ConsoleRequest, 'store' | 'clock' | 'logged'>,
  endpoint: Endpoint,
  what: Parameters<typeof changeByHand>[2],
): Promise<string | undefined> {
  const log = { now: clock(), logged: (action: string) => logged({ action }) }
  const after = await changeByHand(store, endpoint, what, log)
  return after && after.secret !== endpoint.secret ? after.secret : undefined
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
