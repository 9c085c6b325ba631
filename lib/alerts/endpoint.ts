import * as v from 'valibot'
import { DAY_SECONDS, type Seconds, secondsOf } from '#lib/base/calendar.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { readSettings, type Settings, SUBSCRIBED, SUBSCRIBED_VERSION } from '#lib/settings/settings.ts'
import { findSettings, settingsKey } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm } from '#lib/table/keys.ts'
import { isLambda } from '#lib/table/requests/aws-config.ts'
import { absent, absentOrAtMost, absentOrIs, type Change, is, present } from '#lib/table/requests/changes.ts'
import { hasWritten, ignoreConditionFailed, retryingRaces } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { type EventType, isEventType, lettersOf } from './event-types.ts'
import { isMailUrl } from './mail.ts'
import { urlRefusal } from './public-address.ts'
import { newSecret } from './signature.ts'

export const webhookKey = keyForm('WEBHOOK#<owner>', '<id>')

const schema = v.object({
  id: v.string(),
  /** The account whose customers it hears of; 0 for admins, who hear of everybody. */
  owner: v.number(),
  url: v.string(),
  events: v.array(v.custom<EventType>((name) => typeof name === 'string' && isEventType(name))),
  secret: v.string(),
  /** The receiver has to echo this before its first event; missing once it has, and if none was asked for. */
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
export type EndpointState = Omit<Endpoint, 'version'>

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

/** Every endpoint. Their owners, earlier ones too, are stored with the settings. */
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

/** The changes that add an endpoint to the others of its owner. */
export const endpointAdded = (
  stored: Item,
  others: readonly EndpointState[],
  endpoint: EndpointState,
): Change[] => {
  const { owner, id } = endpoint
  return [
    { put: { ...webhookKey(owner, id), ...endpoint, version: 1 }, when: { PK: absent } },
    subscribing(stored, owner, [...others, endpoint]),
  ]
}

/** The changes that give an endpoint a new state, or remove it. */
export async function endpointChanges(
  store: Store,
  before: Endpoint,
  after: EndpointState | 'removed',
): Promise<Change[]> {
  const { owner, id, version } = before
  const [stored, all] = await Promise.all([findSettings(store), listEndpoints(store, owner)])
  const others = all.filter((one) => one.id !== id)
  return after === 'removed'
    ? [{ remove: webhookKey(owner, id), when: { version: is(version) } }, subscribing(stored, owner, others)]
    : [replaced(before, after), subscribing(stored, owner, [...others, after])]
}

/** Changes an endpoint, unless it is gone. The sender does, without an entry of the log. */
export const changeEndpoint = (
  store: Store,
  { owner, id }: Pick<Endpoint, 'owner' | 'id'>,
  to: (endpoint: Endpoint) => EndpointState | 'removed',
): Promise<void> =>
  retryingRaces(store, async () => {
    const before = await findEndpoint(store, owner, id)
    if (before) await store.transact(await endpointChanges(store, before, to(before)))
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

export const signingSecrets = ({ secret, previous }: Endpoint, now: Seconds): string[] =>
  previous && previous.until > now ? [secret, previous.secret] : [secret]

/** A try of a failing endpoint has ended by then: `POST` waits for 5 s. */
const TRY_SECONDS = 10

/**
 * Takes the one try in flight of an endpoint that fails; false while another sender has it. So an endpoint
 * that does not answer keeps one sender waiting, and not all of them.
 */
export const takeTry = (store: Store, { owner, id }: Endpoint, now: Seconds): Promise<boolean> =>
  hasWritten(
    store.update(
      webhookKey(owner, id),
      { set: { try_until: now + TRY_SECONDS } },
      { PK: present, try_until: absentOrAtMost(now) },
    ),
  )

/** Notes the first failure since a success, or removes the note if the moment is blank. */
export const noteFailing = (store: Store, { owner, id }: Endpoint, since: Seconds | undefined) =>
  store
    .update(webhookKey(owner, id), { set: { failing_since: since } }, { PK: present })
    .then(() => undefined, ignoreConditionFailed)
