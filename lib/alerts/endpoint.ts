import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { DAY_SECONDS, type Seconds, secondsOf } from '#lib/base/calendar.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { readSettings, type Settings, SUBSCRIBED, SUBSCRIBED_VERSION } from '#lib/settings/settings.ts'
import { findSettings, settingsKey } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm } from '#lib/table/keys.ts'
import { isLambda } from '#lib/table/requests/aws-config.ts'
import { absent, absentOrIs, type Change, is, present } from '#lib/table/requests/changes.ts'
import { ignoreConditionFailed, retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { inOutbox } from './event.ts'
import { type EventType, isEventType, lettersOf } from './event-types.ts'
import { isMailUrl, mailRefusal } from './mail.ts'
import { urlRefusal } from './public-address.ts'
import { newSecret } from './signature.ts'
import { countedByHand, TOO_MANY_BY_HAND, testOf } from './single-event.ts'

// Keys

export const webhookKey = keyForm('WEBHOOK#<owner>', '<id>')

// Shape

const schema = v.object({
  id: v.string(),
  /** The account whose customers it hears of; 0 for admins, who hear of everybody. */
  owner: v.number(),
  url: v.string(),
  events: v.array(v.custom<EventType>((name) => typeof name === 'string' && isEventType(name))),
  secret: v.string(),
  /** What the receiver has to echo before its first event; missing once it has, and where nobody asked. */
  challenge: v.optional(v.string()),
  /** The secret before it was changed, which signs, too, until a moment in Unix seconds. */
  previous: v.optional(v.object({ secret: v.string(), until: v.number() })),
  /** An ISO date-time. */
  added_at: v.string(),
  /** Since when and why it is disabled; an ISO date-time. */
  disabled: v.optional(v.object({ at: v.string(), why: v.string() })),
  /** The first failure since the last success, in Unix seconds. */
  failing_since: v.optional(v.number()),
  version: v.number(),
})

/** The address that events are sent to. */
export type Endpoint = Readonly<v.InferOutput<typeof schema>>

const readEndpoint = (item: Item): Endpoint => v.parse(schema, item)

/** The fields of an endpoint that a change may set. */
type EndpointState = Omit<Endpoint, 'version'>

// Access patterns

export const findEndpoint = async (
  store: Store,
  owner: number,
  id: string,
): Promise<Endpoint | undefined> => {
  const item = await store.get(webhookKey(owner, id))
  return item && readEndpoint(item)
}

export const listEndpoints = async (store: Store, owner: number): Promise<Endpoint[]> =>
  (await store.list(webhookKey.range(owner))).map(readEndpoint)

/** Every endpoint. Who has or had one stands beside the settings. */
export async function listAllEndpoints(store: Store): Promise<Endpoint[]> {
  const { subscribed } = readSettings(await findSettings(store))
  const lists = await Promise.all(Object.keys(subscribed).map((owner) => listEndpoints(store, Number(owner))))
  return lists.flat()
}

/** Whether there ever was an endpoint: without one, no event waits, and only settings are read. */
export const hasHadEndpoints = async (store: Store): Promise<boolean> =>
  (await findSettings(store))?.[SUBSCRIBED_VERSION] !== undefined

/**
 * The reason why an owner can have no endpoint at a URL. One on this machine is the operator's alone: a
 * reseller would reach what else runs there. A deployed stage has none.
 */
export const endpointUrlRefusal = (
  url: string,
  owner: number,
  settings: Pick<Settings, 'Webhooks_On_This_Machine'>,
): string | undefined => (isMailUrl(url) ? undefined : urlRefusal(url, mayBeOnThisMachine(owner, settings)))

export const mayBeOnThisMachine = (
  owner: number,
  { Webhooks_On_This_Machine }: Pick<Settings, 'Webhooks_On_This_Machine'>,
): boolean => owner === ADMIN_ACCOUNT && Webhooks_On_This_Machine && !isLambda(process.env)

const MOST_OF_AN_OWNER = 10

/** The settings name all owners of endpoints, and every request reads the settings. */
const MOST_OWNERS = 100

export type NewEndpoint = Pick<Endpoint, 'owner' | 'url' | 'events'>

/**
 * Adds an endpoint. Returns it with its secret, or why it was refused. `logged` makes the log entry. That of
 * a reseller or partner gets nothing before it echoes a challenge, as Slack's and those of Azure Event Grid
 * do: nobody makes an installation post to a stranger.
 */
export const addEndpoint = (
  store: Store,
  wanted: NewEndpoint,
  now: Date,
  logged: (action: string) => Change,
): Promise<EndpointState | string> =>
  retryingRaces(store, async () => {
    const id = `we_${randomBytes(6).toString('hex')}`
    const asked = wanted.owner === ADMIN_ACCOUNT ? {} : { challenge: randomBytes(18).toString('base64url') }
    const endpoint = { ...wanted, ...asked, id, secret: newSecret(), added_at: now.toISOString() }
    const stored = await findSettings(store)
    const others = await listEndpoints(store, wanted.owner)
    const owners = new Set([...Object.keys(readSettings(stored).subscribed), String(wanted.owner)])
    const refusal = mailRefusal(wanted.url, wanted.owner, wanted.events)
    if (refusal !== undefined) return refusal
    if (others.length >= MOST_OF_AN_OWNER) return `There are ${others.length} endpoints: remove one first`
    if (owners.size > MOST_OWNERS) return `${MOST_OWNERS} accounts have endpoints: no other one can have some`
    const asking = await consentAsked(store, endpoint, now)
    if (!asking) return TOO_MANY_BY_HAND
    await store.transact([
      ...asking,
      { put: { ...webhookKey(wanted.owner, id), ...endpoint, version: 1 }, when: { PK: absent } },
      subscribing(stored, wanted.owner, [...others, endpoint]),
      logged(`added the webhook ${id} to ${wanted.url}`),
    ])
    return endpoint
  })

/** The changes that ask a new endpoint for its consent; `undefined` beyond the limit of its owner. */
async function consentAsked(
  store: Store,
  endpoint: Pick<Endpoint, 'id' | 'owner' | 'challenge'>,
  now: Date,
): Promise<Change[] | undefined> {
  if (endpoint.challenge === undefined) return []
  const counted = await countedByHand(store, endpoint.owner, now)
  return counted && [counted, inOutbox(testOf(endpoint, now), now)]
}

/**
 * Gives an endpoint a new state, or removes it. Returns the state;
 * `undefined` if there is no such endpoint. `logged` is the entry of the log.
 */
export const changeEndpoint = (
  store: Store,
  { owner, id }: Pick<Endpoint, 'owner' | 'id'>,
  to: (endpoint: Endpoint) => EndpointState | 'removed',
  logged: readonly Change[],
): Promise<EndpointState | undefined> =>
  retryingRaces(store, async () => {
    const [stored, all] = await Promise.all([findSettings(store), listEndpoints(store, owner)])
    const before = all.find((one) => one.id === id)
    if (!before) return undefined
    const after = to(before)
    const isRemoved = after === 'removed'
    const others = all.filter((one) => one !== before)
    await store.transact([
      isRemoved
        ? { remove: webhookKey(owner, id), when: { version: is(before.version) } }
        : replaced(before, after),
      subscribing(stored, owner, isRemoved ? others : [...others, after]),
      ...logged,
    ])
    return isRemoved ? before : after
  })

/** Names no attribute that stays: the sender may write only some of them. */
function replaced(before: Endpoint, after: EndpointState): Change {
  const { owner, id, version } = before
  const changed = CHANGEABLE.filter((name) => before[name] !== after[name])
  return {
    update: webhookKey(owner, id),
    to: { set: Object.fromEntries(changed.map((name) => [name, after[name]])), add: { version: 1 } },
    when: { version: is(version) },
  }
}

const CHANGEABLE = ['secret', 'previous', 'disabled', 'failing_since', 'challenge'] as const

/** Two changes at once would each miss the other one: the count of changes stops the second. */
function subscribing(stored: Item, owner: number, endpoints: readonly EndpointState[]): Change {
  const { [owner]: _, ...others } = readSettings(stored).subscribed
  const letters = lettersOf(endpoints.filter(receives).flatMap(({ events }) => events))
  const own = endpoints.length > 0 ? { [owner]: letters } : {}
  return {
    update: settingsKey,
    to: { set: { [SUBSCRIBED]: { ...others, ...own } }, add: { [SUBSCRIBED_VERSION]: 1 } },
    when: { [SUBSCRIBED_VERSION]: absentOrIs(stored[SUBSCRIBED_VERSION] ?? 0) },
  }
}

// States

/** Whether events go to an endpoint. */
export const receives = ({ disabled, challenge }: Pick<Endpoint, 'disabled' | 'challenge'>): boolean =>
  !disabled && challenge === undefined

/** The receiver echoed the challenge. */
export const consentingEndpoint = ({
  challenge: _,
  failing_since: __,
  version: ___,
  ...endpoint
}: Endpoint): EndpointState => endpoint

export const disabledEndpoint =
  (now: Date, why: string) =>
  ({ failing_since: _, version: __, ...endpoint }: Endpoint): EndpointState => ({
    ...endpoint,
    disabled: { at: now.toISOString(), why },
  })

export const enabledEndpoint = ({
  disabled: _,
  failing_since: __,
  version: ___,
  ...endpoint
}: Endpoint): EndpointState => endpoint

/** Both secrets sign for a day. */
export const withNewSecret =
  (now: Date) =>
  ({ version: _, ...endpoint }: Endpoint): EndpointState => ({
    ...endpoint,
    secret: newSecret(),
    previous: { secret: endpoint.secret, until: secondsOf(now) + DAY_SECONDS },
  })

/** The actions of operators on an endpoint, with their words in the log. */
const BY_HAND = {
  enable: { did: (id: string) => `enabled the webhook ${id}`, to: () => enabledEndpoint },
  disable: {
    did: (id: string) => `disabled the webhook ${id}`,
    to: (now: Date) => disabledEndpoint(now, 'by hand'),
  },
  rotate: { did: (id: string) => `gave the webhook ${id} a new secret`, to: withNewSecret },
  remove: { did: (id: string) => `removed the webhook ${id}`, to: () => () => 'removed' as const },
}

/** An operator's change of an endpoint, logged. Returns its new state; `undefined` if it is gone. */
export const changeByHand = (
  store: Store,
  endpoint: Endpoint,
  what: keyof typeof BY_HAND,
  { now, logged }: { readonly now: Date; readonly logged: (action: string) => Change },
): Promise<EndpointState | undefined> => {
  const { did, to } = BY_HAND[what]
  return changeEndpoint(store, endpoint, to(now), [logged(did(endpoint.id))])
}

export const signingSecrets = ({ secret, previous }: Endpoint, now: Seconds): string[] =>
  previous && previous.until > now ? [secret, previous.secret] : [secret]

/** Notes the first failure since a success, or removes the note if the moment is blank. */
export const noteFailing = (store: Store, { owner, id }: Endpoint, since: Seconds | undefined) =>
  store
    .update(webhookKey(owner, id), { set: { failing_since: since } }, { PK: present })
    .then(() => undefined, ignoreConditionFailed)
