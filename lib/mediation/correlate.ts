import pMap from 'p-map'
import { groupBy, oncePerObject, slices } from '#lib/domain/collections.ts'
import { type Call, findCalls } from '#lib/store/calls/call.ts'
import {
  listPendingEvents,
  listPendingEventsOf,
  type PendingEvent,
  putPendingEvents,
  removeDialog,
  removePendingEvents,
} from '#lib/store/calls/dialog-event.ts'
import { type DialogEvent, isFormat } from './formats/cdr.ts'
import { type Correlated, correlated, partOf } from './formats/dialog.ts'
import { hexDigest, type Mediation, type MediationOutcome, type PartOf, storableId } from './mediation.ts'
import { parse } from './parse.ts'
import { type SourcedCdr, storeCdrs } from './store-cdrs.ts'
import { placeOfEvent, suspendParts } from './suspend.ts'

type EventPart = PartOf<'dialog_event'>

const DIALOGS_AT_ONCE = 500
const QUERIES_AT_ONCE = 16

/**
 * Correlates dialog events. An event is stored as pending before the events of its dialog are read: if two arrive at the
 * same time, at least one delivery finds both. A pending event is removed after its call is stored or the event is
 * suspended. A failure in between repeats work, but loses no event.
 */
export async function correlate(
  mediation: Mediation,
  parts: readonly EventPart[],
): Promise<Map<EventPart, MediationOutcome>> {
  const outcomes = new Map<EventPart, MediationOutcome>()
  const dialogs = groupBy(parts, dialogOf).entries()
  for (const some of slices(dialogs, DIALOGS_AT_ONCE)) {
    const correlated = await correlateDialogs(mediation, new Map(some))
    for (const [dialog, events] of some) {
      for (const event of events) outcomes.set(event, correlated.get(dialog) as MediationOutcome)
    }
  }
  return outcomes
}

/** The digest of an event's dialog, which the events of one call share. */
const dialogOf = oncePerObject(({ document, found }: EventPart): string =>
  dialogDigest(document.source, found.event),
)

/** A digest of proxy, Call-ID and tags, in 40 hexadecimal digits. */
export const dialogDigest = (source: string, event: DialogEvent): string =>
  hexDigest(`${source}\0${event.callId} ${partOf(event)}`).slice(0, 40)

async function correlateDialogs(
  mediation: Mediation,
  dialogs: ReadonlyMap<string, readonly EventPart[]>,
): Promise<Map<string, MediationOutcome>> {
  const { store } = mediation
  const stored = await storedAmong(
    mediation,
    [...dialogs.values()].flatMap(([first]) => first ?? []),
  )
  const answered = new Set([...stored].flatMap(([dialog, call]) => (isAnswered(call) ? [dialog] : [])))
  const open = [...dialogs].flatMap(([dialog, events]) => (answered.has(dialog) ? [] : events))
  await putPendingEvents(store, open.map(pendingOf))
  const query = (dialog: string) => listPendingEventsOf(store, dialog)
  const pending = (await pMap(dialogs.keys(), query, { concurrency: QUERIES_AT_ONCE })).flat()
  const given = new Map(open.map((part) => [eventKey(pendingOf(part)), part]))
  const parts = pending.flatMap((event) => given.get(eventKey(event)) ?? eventPartsOf(event))
  const revived = new Set(parts.filter(isOfAnswered).map(dialogOf))
  const closed = new Set([...stored.keys()].filter((one) => answered.has(one) || !revived.has(one)))
  const outcomes = await decideDialogs(mediation, parts, closed)
  for (const dialog of closed) outcomes.set(dialog, 'duplicate')
  const taken = [...dialogs].filter(([dialog]) => !outcomes.has(dialog))
  return new Map([...outcomes, ...(await outcomesOfTaken(mediation, taken))])
}

/**
 * The outcomes of dialogs whose pending events are gone: another delivery has stored their call or suspended them
 * meanwhile. `suspended` keeps an entry that the other delivery may have written.
 */
async function outcomesOfTaken(
  mediation: Mediation,
  dialogs: readonly [dialog: string, events: readonly EventPart[]][],
): Promise<[dialog: string, MediationOutcome][]> {
  const stored = await storedAmong(
    mediation,
    dialogs.flatMap(([, [first]]) => first ?? []),
  )
  return dialogs.map(([dialog, events]) => {
    const call = stored.get(dialog)
    const isKnown = call && (isAnswered(call) || !events.some(isOfAnswered))
    return [dialog, isKnown ? 'duplicate' : 'suspended']
  })
}

/**
 * An INVITE of the dialog may be refused before another one is answered, and the refusal is stored as a call then. Only an
 * answered call closes its dialog.
 */
const isAnswered = ({ disposition }: Call): boolean => disposition === 'ANSWERED'

const isOfAnswered = ({ found }: EventPart): boolean => found.event.tells !== 'failed'

/** The stored calls, by dialog. */
async function storedAmong(
  { store }: Mediation,
  parts: readonly EventPart[],
): Promise<ReadonlyMap<string, Call>> {
  const calls = await findCalls(store, parts.map(identityOfDialog))
  return new Map(
    parts.flatMap((part, place) => {
      const call = calls[place]
      return call ? [[dialogOf(part), call] as const] : []
    }),
  )
}

function identityOfDialog(part: EventPart) {
  const { source } = part.document
  const { event } = part.found
  const uniqueid = storableId(event.callId, `${source}\0${dialogOf(part)}`)
  return { source, uniqueid, source_part: partOf(event) }
}

const pendingOf = oncePerObject((part: EventPart): PendingEvent => {
  const { text: _, ...document } = part.document
  const { event } = part.found
  return {
    ...document,
    document: part.text(),
    dialog: dialogOf(part),
    place: placeOfEvent(event),
    at: event.at,
  }
})

const eventKey = ({ dialog, place }: PendingEvent): string => `${dialog} ${place}`

/** A pending event is parsed again from the text that the proxy reported. */
function eventPartsOf({ format, source, zone, columns, mapping, document: text }: PendingEvent): EventPart[] {
  const known = isFormat(format) ? format : 'kamailio-json'
  const document = { format: known, source, zone, columns, mapping, text }
  return [...parse(document)].flatMap(({ found }) =>
    found.kind === 'dialog_event' ? [{ document, found, text: () => text }] : [],
  )
}

/** The events of one dialog and their correlation. */
interface Dialog {
  readonly dialog: string
  readonly events: readonly EventPart[]
  readonly correlated: Correlated
}

/**
 * Stores the calls that pending events make, suspends orphans, and then removes both from the pending events. Returns the
 * outcome of each dialog. `closed` has the dialogs whose call is stored: their events are only removed.
 */
async function decideDialogs(
  mediation: Mediation,
  parts: readonly EventPart[],
  closed: ReadonlySet<string> = new Set(),
): Promise<Map<string, MediationOutcome>> {
  const dialogs = [...groupBy(parts, dialogOf)].map(([dialog, events]) =>
    correlatedDialog(mediation, dialog, events),
  )
  const orphans = dialogs.filter(({ dialog, correlated: { kind } }) => isOrphan(kind) && !closed.has(dialog))
  const found = await storedAmong(
    mediation,
    orphans.flatMap(({ events: [first] }) => first ?? []),
  )
  const late = new Set([...found].flatMap(([dialog, call]) => (isAnswered(call) ? [dialog] : [])))
  const open = dialogs.filter(({ dialog }) => !closed.has(dialog) && !late.has(dialog))
  const outcomes = await outcomesOf(mediation, open)
  for (const dialog of late) outcomes.set(dialog, 'duplicate')

  await suspendParts(
    mediation,
    open.flatMap((one) => refusedEvents(one, outcomes.get(one.dialog))),
  )
  await removeDecided(mediation, dialogs, outcomes)
  return new Map(
    [...outcomes].map(([dialog, outcome]) => [dialog, typeof outcome === 'object' ? 'suspended' : outcome]),
  )
}

/**
 * Removes the events of dialogs that are no longer pending. The events of a suspended dialog go in one transaction
 * (`removeDialog`); after a stored call a leftover event is only a duplicate, so a batch is enough.
 */
async function removeDecided(
  { store }: Mediation,
  dialogs: readonly Dialog[],
  outcomes: ReadonlyMap<string, MediationOutcome>,
): Promise<void> {
  const decided = dialogs.filter(({ dialog }) => outcomes.get(dialog) !== 'pending')
  const isRefused = ({ dialog }: Dialog) => typeof outcomes.get(dialog) === 'object'
  const pendingEvents = ({ events }: Dialog) => events.map(pendingOf)
  await removePendingEvents(store, decided.filter((one) => !isRefused(one)).flatMap(pendingEvents))
  await pMap(decided.filter(isRefused), (one) => removeDialog(store, pendingEvents(one)), {
    concurrency: QUERIES_AT_ONCE,
  })
}

/** An event whose counterpart is overdue. */
const isOrphan = (kind: Correlated['kind']): boolean => kind === 'no_start' || kind === 'no_end'

function correlatedDialog(
  { settings, now }: Mediation,
  dialog: string,
  events: readonly EventPart[],
): Dialog {
  const hours = settings.Intake_Join_Hours ?? DEFAULT_JOIN_HOURS
  return {
    dialog,
    events,
    correlated: correlated(
      events.map(({ found }) => found.event),
      now,
      hours,
    ),
  }
}

const DEFAULT_JOIN_HOURS = 24

async function outcomesOf(
  mediation: Mediation,
  dialogs: readonly Dialog[],
): Promise<Map<string, MediationOutcome>> {
  const calls = dialogs.flatMap(callOf)
  const outcomes = await storeCdrs(mediation, calls)
  const ofCalls = new Map(calls.map((call) => [call.dialog, outcomes.get(call) ?? 'pending']))
  return new Map(dialogs.map((one) => [one.dialog, ofCalls.get(one.dialog) ?? outcomeWithoutCall(one)]))
}

function callOf({ dialog, events: [first], correlated: made }: Dialog): (SourcedCdr & { dialog: string })[] {
  if (made.kind !== 'cdr' || !first) return []
  const { source } = first.document
  return [
    { dialog, source, cdr: { ...made.cdr, uniqueid: storableId(made.cdr.uniqueid, `${source}\0${dialog}`) } },
  ]
}

const outcomeWithoutCall = ({ correlated: { kind } }: Dialog): MediationOutcome =>
  kind === 'no_start' || kind === 'no_end'
    ? { reason: kind, detail: 'the counterpart of this dialog event did not come within Intake_Join_Hours' }
    : 'pending'

const refusedEvents = ({ events }: Dialog, outcome: MediationOutcome | undefined) =>
  typeof outcome === 'object' ? events.map((part) => ({ part, problem: outcome })) : []

/**
 * Suspends dialog events that have been pending too long, and returns how many. Pending events have no TTL for this
 * reason: a TTL would delete them unseen, and suspense shows them to the operator.
 */
export async function suspendOverdue(mediation: Mediation): Promise<number> {
  let overdue = 0
  let events: PendingEvent[] = []
  const decide = async () => {
    const parts = events.flatMap(eventPartsOf)
    const outcomes = await decideDialogs(mediation, parts)
    overdue += parts.filter((part) => outcomes.get(dialogOf(part)) === 'suspended').length
    events = []
  }
  for await (const event of listPendingEvents(mediation.store)) {
    if (events.length >= EVENTS_AT_ONCE && events.at(-1)?.dialog !== event.dialog) await decide()
    events.push(event)
  }
  await decide()
  return overdue
}

const EVENTS_AT_ONCE = 1000
