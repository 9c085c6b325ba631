import { randomBytes, randomUUID } from 'node:crypto'
import { type Act, type Done, defineAct } from '#lib/acts/act.ts'
import type { ActingAccount } from '#lib/acts/context.ts'
import { accountInput, type Input, inputOf, optionalInput, textInput } from '#lib/acts/inputs.ts'
import { type Actor, OWNERS, ownsCustomers } from '#lib/base/account-types.ts'
import { secondsOf } from '#lib/base/calendar.ts'
import { namesIn } from '#lib/base/collections.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT, actsFor, isAdmin } from '#lib/base/scope.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import { absent, type Change, is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { listDeliveries, type WebhookDelivery } from './delivery.ts'
import {
  disabledEndpoint,
  type Endpoint,
  type EndpointState,
  enabledEndpoint,
  endpointAdded,
  endpointChanges,
  endpointUrlRefusal,
  findEndpoint,
  listAllEndpoints,
  listEndpoints,
  withNewSecret,
} from './endpoint.ts'
import { type AlertEvent, alertKeys, eventOf, inOutbox } from './event.ts'
import { CHALLENGE_EVENT, EVENT_TYPES, type EventType, isEventType, TEST_EVENT } from './event-types.ts'
import { isMailUrl, mailRefusal, requireMails } from './mail.ts'
import { newSecret } from './signature.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly too_many_by_hand: { readonly count: number }
    /** `says` comes after the URL, such as "is not a public address". */
    readonly unfit_url: { readonly says: string }
    readonly unknown_event: { readonly event: string; readonly events: readonly string[] }
    readonly owner_without_customers: { readonly username: string }
    readonly others_webhooks: { readonly username: string }
    readonly mail_refused: { readonly says: string }
    readonly too_many_webhooks: { readonly count: number }
    readonly too_many_owners_of_webhooks: { readonly count: number }
    readonly unknown_delivery: { readonly webhook: string; readonly message: string; readonly of: number }
  }
}

/** The event of a test. An endpoint with a challenge has not consented yet, and is asked again. */
export function testOf(
  { id, owner, challenge }: Pick<EndpointState, 'id' | 'owner' | 'challenge'>,
  at: Date,
): AlertEvent {
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
async function countedByHand(store: Store, owner: number, now: Date): Promise<Change> {
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

/** An accountant reads no secret, and so makes none. */
const callers = OWNERS

/** A reseller or partner has endpoints for its own customers, all admins have those of account 0. */
export const ownerOfWebhooks = (actor: ActingAccount): number => actsFor(actor) ?? ADMIN_ACCOUNT

const eventsInput: Input<readonly EventType[]> = {
  ...inputOf<readonly EventType[]>('list of events', 'LIST', () => [])(
    'types of events with commas between them, or all',
  ),
  read: (text, field) => {
    const all = namesIn(EVENT_TYPES)
    const names = text === 'all' ? all : text.split(',').map((name) => name.trim())
    return [...new Set(names)].filter(Boolean).map((event) => {
      if (isEventType(event)) return event
      throw new Refusal('unknown_event', { event, events: all }, field)
    })
  },
}

const MOST_OF_AN_OWNER = 10

/** The settings name all owners of endpoints, and every request reads the settings. */
const MOST_OWNERS = 100

/**
 * Adds an endpoint. That of a reseller or partner gets nothing before it echoes a challenge, as Slack's and
 * those of Azure Event Grid do: nobody makes an installation post to a stranger.
 */
export const addWebhook = defineAct({
  summary: 'Add an endpoint of webhooks, and show its secret once',
  callers,
  input: {
    url: textInput('where events are posted to: https, port 443'),
    events: eventsInput,
    owner: optionalInput(
      accountInput('the reseller or partner of whose customers it hears (default: your own customers)'),
    ),
  },
  run: async ({ store, settings, actor, now }, { url, events, owner: named }) => {
    const owner = ownerNamed(actor, named)
    const says = endpointUrlRefusal(url, owner, settings)
    if (says !== undefined) throw new Refusal('unfit_url', { says }, 'url')
    const mail = mailRefusal(url, owner, events)
    if (mail !== undefined) throw new Refusal('mail_refused', { says: mail }, 'url')
    if (isMailUrl(url)) requireMails(settings)
    const [stored, others] = await Promise.all([findSettings(store), listEndpoints(store, owner)])
    const owners = new Set([...Object.keys(readSettings(stored).subscribed), String(owner)])
    if (others.length >= MOST_OF_AN_OWNER) throw new Refusal('too_many_webhooks', { count: others.length })
    if (owners.size > MOST_OWNERS) throw new Refusal('too_many_owners_of_webhooks', { count: MOST_OWNERS })
    const id = `we_${randomBytes(6).toString('hex')}`
    const asked = owner === ADMIN_ACCOUNT ? {} : { challenge: randomBytes(18).toString('base64url') }
    const endpoint: EndpointState = {
      ...{ owner, url, events: [...events], ...asked, id },
      ...{ secret: newSecret(), added_at: now.toISOString() },
    }
    const asking = endpoint.challenge === undefined ? [] : await sentByHand(store, testOf(endpoint, now), now)
    return {
      changes: [...asking, ...endpointAdded(stored, others, endpoint)],
      answer: { id },
      secret: isMailUrl(url) ? undefined : { name: id, text: endpoint.secret },
      log: { action: `added the webhook ${id} to ${url}` },
    }
  },
})

function ownerNamed(
  actor: ActingAccount,
  named: (Actor & { readonly username: string }) | undefined,
): number {
  const own = ownerOfWebhooks(actor)
  if (!named) return own
  if (!ownsCustomers(named))
    throw new Refusal('owner_without_customers', { username: named.username }, 'owner')
  const owner = isAdmin(named) ? ADMIN_ACCOUNT : named.id
  if (!isAdmin(actor) && owner !== own)
    throw new Refusal('others_webhooks', { username: named.username }, 'owner')
  return owner
}

/** Admins change every endpoint. The endpoint of another owner is refused in the words of a missing one. */
const endpointInput: Input<Endpoint> = {
  takes: 'id of a webhook',
  placeholder: 'ID',
  says: 'the id of the endpoint',
  isOptional: false,
  read: async (given, field, { store, actor }) => {
    const found = /^[\w-]{1,40}$/.test(given) ? await findVisible(store, actor, given) : undefined
    if (found) return found
    const all = isAdmin(actor) ? await listAllEndpoints(store) : []
    const nearest = nearestNames(
      given,
      all.map(({ id }) => id),
    )
    throw new Refusal('unknown_name', { noun: 'webhook', name: given, nearest }, field)
  },
}

async function findVisible(store: Store, actor: ActingAccount, id: string): Promise<Endpoint | undefined> {
  const own = await findEndpoint(store, ownerOfWebhooks(actor), id)
  return own || !isAdmin(actor) ? own : (await listAllEndpoints(store)).find((one) => one.id === id)
}

/** An act that gives an endpoint a new state, or removes it. */
const endpointAct = (
  summary: string,
  did: (id: string) => string,
  to: (endpoint: Endpoint, now: Date) => EndpointState | 'removed',
) =>
  ({
    summary,
    callers,
    input: { id: endpointInput },
    run: async ({ store, now }, { id: before }): Promise<Done<{ readonly id: string }>> => {
      const { id } = before
      const after = to(before, now)
      const isNew = after !== 'removed' && after.secret !== before.secret
      return {
        changes: await endpointChanges(store, before, after),
        answer: { id },
        secret: isNew ? { name: id, text: after.secret } : undefined,
        remarks: isNew ? ['The earlier secret signs, too, for a day'] : [],
        log: { action: did(id) },
      }
    },
  }) satisfies Act<{ id: Input<Endpoint> }, { readonly id: string }>

export const enableWebhook = defineAct(
  endpointAct(
    'Switch an endpoint of webhooks on again',
    (id) => `enabled the webhook ${id}`,
    enabledEndpoint,
  ),
)

export const disableWebhook = defineAct(
  endpointAct(
    'Send nothing more to an endpoint of webhooks',
    (id) => `disabled the webhook ${id}`,
    (endpoint, now) => disabledEndpoint(now, 'by hand')(endpoint),
  ),
)

export const rotateWebhook = defineAct(
  endpointAct(
    'Give an endpoint of webhooks a new secret, and show it once; both sign for a day',
    (id) => `gave the webhook ${id} a new secret`,
    (endpoint, now) => withNewSecret(now)(endpoint),
  ),
)

export const removeWebhook = defineAct(
  endpointAct(
    'Remove an endpoint of webhooks: what waits for it is not sent any more',
    (id) => `removed the webhook ${id}`,
    () => 'removed',
  ),
)

/** Sends a test event, also to an endpoint that is disabled. */
export const testWebhook = defineAct({
  summary: 'Send a test event to an endpoint of webhooks',
  callers,
  input: { id: endpointInput },
  run: async ({ store, now }, { id: endpoint }) => ({
    changes: await sentByHand(store, testOf(endpoint, now), now),
    answer: { id: endpoint.id },
    log: { action: `tested the webhook ${endpoint.id}` },
  }),
})

const MOST_SEARCHED = 100

export const resendWebhook = defineAct({
  summary: 'Send an event to an endpoint of webhooks again',
  callers,
  input: { id: endpointInput, message: textInput('the id of the event, as the deliveries list it') },
  run: async ({ store, now }, { id: { id }, message }) => {
    const sent = (await listDeliveries(store, id, MOST_SEARCHED)).find((one) => one.id === message)
    if (!sent) throw new Refusal('unknown_delivery', { webhook: id, message, of: MOST_SEARCHED }, 'message')
    return {
      changes: await sentByHand(store, againOf(sent), now),
      answer: { id },
      log: { action: `sent ${message} to ${id} again` },
    }
  },
})

/** Puts one event into the outbox, unless too many were sent by hand within the minute. */
async function sentByHand(store: Store, event: AlertEvent, now: Date): Promise<Change[]> {
  return [await countedByHand(store, event.owner, now), inOutbox(event, now)]
}
