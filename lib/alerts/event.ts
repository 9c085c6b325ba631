import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import type { Subscribed } from '#lib/settings/settings.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm, listedIn, padded } from '#lib/table/keys.ts'
import { absentOrBelow, type Change, type Conditions } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { type CHALLENGE_EVENT, EVENT_TYPES, type EventType, type TEST_EVENT } from './event-types.ts'

/**
 * Events that wait for the relay, by the owner of their account, then by their time in milliseconds.
 * Earlier versions wrote no owner into the key.
 */
export const outboxKey = keyForm('OUTBOX', '<owner>#<at>#<id>')

/**
 * The alerts of an account, and its events that wait for the relay. One update changes both: no event is
 * lost or reported twice. While events wait, the item is listed in GSI1. Suspense has an item, too.
 */
export const alertKeys = {
  item: keyForm('ALERT#<subject>', 'ALERT'),
  listed: keyForm('ALERTS', '<at>#<subject>'),
}

/** An event before it is sent to anybody. */
export interface NewEvent {
  readonly type: EventType | typeof TEST_EVENT | typeof CHALLENGE_EVENT
  /** The owner of the account that it concerns: the owner's endpoints get it, and those of admins. */
  readonly owner: number
  readonly at: Date
  /** The same for the same event, regardless of its writer: its id is made of it. */
  readonly subject: string
  /** Ids and amounts; no number of a caller. */
  readonly data: Readonly<Record<string, unknown>>
}

const eventSchema = v.object({
  /** The webhook-id: the same over all tries and for all endpoints, so that receivers recognise a repeat. */
  id: v.string(),
  type: v.string(),
  owner: v.number(),
  /** The text that is posted. */
  body: v.string(),
  /** The only endpoint that receives it, such as one that is tested. */
  only: v.optional(v.string()),
})

export type AlertEvent = v.InferOutput<typeof eventSchema>

export const readEvent = (item: Item): AlertEvent => v.parse(eventSchema, item)

const ID_CHARACTERS = 27

/** The body has the three members that Standard Webhooks asks for. */
export function eventOf({ type, owner, at, subject, data }: NewEvent): AlertEvent {
  const digest = createHash('sha256').update(`${type}\0${subject}`).digest('base64url')
  const body = JSON.stringify({ type, timestamp: at.toISOString(), data })
  return { id: `msg_${digest.slice(0, ID_CHARACTERS)}`, type, owner, body }
}

/** The owners whose endpoints receive the events of an owner's accounts. */
export const ownersHearing = (owner: number): number[] => [...new Set([ADMIN_ACCOUNT, owner])]

/** Returns whether an endpoint of the owner, or of an admin, subscribed to a type of event. */
export const isWanted = (
  { subscribed }: { readonly subscribed: Subscribed },
  type: EventType,
  owner: number = ADMIN_ACCOUNT,
): boolean => ownersHearing(owner).some((one) => subscribed[one]?.includes(EVENT_TYPES[type].letter))

/** Returns whether anybody subscribed to one of these types, before the account that it concerns is read. */
export const isWantedByAnybody = (
  { subscribed }: { readonly subscribed: Subscribed },
  types: readonly EventType[],
): boolean =>
  Object.values(subscribed).some((letters) =>
    types.some((type) => letters.includes(EVENT_TYPES[type].letter)),
  )

/** The entries of an event for the transaction of its change; none without subscribers. */
export const outboxOf = (
  settings: { readonly subscribed: Subscribed },
  event: NewEvent & { readonly type: EventType },
): Change[] => (isWanted(settings, event.type, event.owner) ? [inOutbox(eventOf(event), event.at)] : [])

export const inOutbox = (event: AlertEvent, at: Date): Change => ({
  put: { ...outboxKey(event.owner, at.getTime(), event.id), ...event },
})

/** The attributes of an item of alerts that are events. */
const WAITING = 'event '

/** The new state of an account, and the events that wait for the relay. */
export interface AlertChange {
  readonly set: Item
  readonly when: Conditions
  readonly at: Date
  readonly events: readonly AlertEvent[]
}

/** Notes what was reported and queues its events, in one update. */
export const alertChange = (subject: number | string, { set, when, at, events }: AlertChange) => ({
  update: alertKeys.item(subject),
  to: {
    set: {
      ...set,
      ...Object.fromEntries(events.map((event) => [WAITING + event.id, JSON.stringify(event)])),
      ...(events.length > 0 && listedIn('GSI1', alertKeys.listed(padded(at.getTime()), subject))),
    },
    add: { epoch: 1 },
  },
  when,
})

/** The events that wait in an item of alerts, by attribute, from the oldest: an item keeps no order. */
export const waitingIn = (item: Item): readonly (readonly [attribute: string, event: AlertEvent])[] =>
  Object.entries(item)
    .filter(([name]) => name.startsWith(WAITING))
    .map(([name, text]) => [name, readEvent(JSON.parse(String(text)))] as const)
    .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))

const placeOf = ([name, { body }]: readonly [attribute: string, event: AlertEvent]): string =>
  `${JSON.parse(body).timestamp} ${name}`

/** An event that is reported at most once for each value of a mark that only rises, such as a minute. */
interface MarkedEvent {
  readonly subject: number | string
  readonly mark: string
  readonly value: number
  readonly event: NewEvent & { readonly type: EventType }
}

/** Reports an event once for a value, if somebody subscribed. The first writer reports it. */
export async function notifyMarked(
  store: Store,
  settings: { readonly subscribed: Subscribed },
  { subject, mark, value, event }: MarkedEvent,
): Promise<void> {
  if (!isWanted(settings, event.type, event.owner)) return
  const when = { [mark]: absentOrBelow(value) }
  const change = { set: { [mark]: value }, when, at: event.at, events: [eventOf(event)] }
  const { update, to } = alertChange(subject, change)
  await hasWritten(store.update(update, to, when))
}
