import pMap from 'p-map'
import { HOUR_SECONDS, type Seconds } from '#lib/domain/calendar.ts'
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
import { dispositionByCause, hangupCauseOfSip } from './formats/call-result.ts'
import { type Cdr, type DialogEvent, isFormat } from './formats/cdr.ts'
import { hexDigest, type Mediation, type Outcome, type PartOf, storableId } from './mediation.ts'
import { parse } from './parse.ts'
import { type SourcedCdr, storeCdrs } from './store-cdrs.ts'
import { placeOfEvent, suspendParts } from './suspend.ts'

type EventPart = PartOf<'dialog_event'>

const DIALOGS_AT_ONCE = 500
const QUERIES_AT_ONCE = 16

/**
 * Correlates dialog events. An event is stored as pending first, and correlated with what is there then: of two events that
 * arrive at the same time the later one finds the other. An event is removed after the call made of it is stored, or after
 * it is suspended.
 */
export async function correlate(
  mediation: Mediation,
  parts: readonly EventPart[],
): Promise<Map<EventPart, Outcome>> {
  const outcomes = new Map<EventPart, Outcome>()
  const dialogs = groupBy(parts, dialogOf).entries()
  for (const some of slices(dialogs, DIALOGS_AT_ONCE)) {
    const correlated = await correlateDialogs(mediation, new Map(some))
    for (const [dialog, events] of some) {
      for (const event of events) outcomes.set(event, correlated.get(dialog) ?? SETTLED_ELSEWHERE)
    }
  }
  return outcomes
}

/**
 * Another delivery has taken the event from the pending ones since it was put there. It may have suspended it, so an entry
 * of suspense stays.
 */
const SETTLED_ELSEWHERE: Outcome = 'suspended'

/** The key that the events of one call share: a digest of the proxy and of the dialog. */
const dialogOf = oncePerObject(({ document, found }: EventPart): string =>
  dialogDigest(document.source, found.event),
)

/** One for each dialog of each proxy. */
export const dialogDigest = (source: string, event: DialogEvent): string =>
  hexDigest(`${source}\0${event.callId} ${partOf(event)}`).slice(0, 40)

/**
 * Both tags, whichever side hung up (RFC 3261, 12). The branches of a fork that were answered have tags of their own, and
 * each is a call.
 */
const partOf = ({ tags }: DialogEvent): string => tags.toSorted().join(' ')

async function correlateDialogs(
  mediation: Mediation,
  dialogs: ReadonlyMap<string, readonly EventPart[]>,
): Promise<Map<string, Outcome>> {
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
  const given = new Map(open.map((part) => [nameOf(pendingOf(part)), part]))
  const parts = pending.flatMap((event) => given.get(nameOf(event)) ?? eventPartsOf(event))
  const revived = new Set(parts.filter(({ found }) => found.event.tells !== 'failed').map(dialogOf))
  const closed = new Set([...stored.keys()].filter((one) => answered.has(one) || !revived.has(one)))
  const outcomes = await settleDialogs(mediation, parts, closed)
  for (const dialog of closed) outcomes.set(dialog, 'duplicate')
  return outcomes
}

/**
 * A refusal within a dialog may come before the answer, and is stored as a call then. It does not close the dialog for
 * the events of an answered call.
 */
const isAnswered = ({ disposition }: Call): boolean => disposition === 'ANSWERED'

/** The stored calls of dialogs. */
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

const nameOf = ({ dialog, place }: PendingEvent): string => `${dialog} ${place}`

/** A pending event is read again from its text, which is what the proxy reported. */
function eventPartsOf({ format, source, zone, columns, mapping, document: text }: PendingEvent): EventPart[] {
  const known = isFormat(format) ? format : 'kamailio-json'
  const document = { format: known, source, zone, columns, mapping, text }
  return [...parse(document)].flatMap(({ found }) =>
    found.kind === 'dialog_event' ? [{ document, found, text: () => text }] : [],
  )
}

/** The events of one dialog, and the result of their correlation. */
interface Dialog {
  readonly dialog: string
  readonly events: readonly EventPart[]
  readonly correlated: Correlated
}

/**
 * Stores the calls that pending events make, and suspends events that no call can be made of any more; after that neither
 * is pending. Answers what became of each dialog.
 */
async function settleDialogs(
  mediation: Mediation,
  parts: readonly EventPart[],
  stored: ReadonlySet<string> = new Set(),
): Promise<Map<string, Outcome>> {
  const dialogs = [...groupBy(parts, dialogOf)].map(([dialog, events]) =>
    correlatedDialog(mediation, dialog, events),
  )
  const orphans = dialogs.filter(({ dialog, correlated: { kind } }) => isOrphan(kind) && !stored.has(dialog))
  const found = await storedAmong(
    mediation,
    orphans.flatMap(({ events: [first] }) => first ?? []),
  )
  const late = new Set([...found].flatMap(([dialog, call]) => (isAnswered(call) ? [dialog] : [])))
  const open = dialogs.filter(({ dialog }) => !stored.has(dialog) && !late.has(dialog))
  const outcomes = await outcomesOf(mediation, open)
  for (const dialog of late) outcomes.set(dialog, 'duplicate')

  await suspendParts(
    mediation,
    open.flatMap((one) => refusedEvents(one, outcomes.get(one.dialog))),
  )
  await removeSettled(mediation, dialogs, outcomes)
  return new Map(
    [...outcomes].map(([dialog, outcome]) => [dialog, typeof outcome === 'object' ? 'suspended' : outcome]),
  )
}

/** Of a stored call a leftover event is a duplicate; the events of a suspended dialog are removed together. */
async function removeSettled(
  { store }: Mediation,
  dialogs: readonly Dialog[],
  outcomes: ReadonlyMap<string, Outcome>,
): Promise<void> {
  const over = dialogs.filter(({ dialog }) => outcomes.get(dialog) !== 'pending')
  const isRefused = ({ dialog }: Dialog) => typeof outcomes.get(dialog) === 'object'
  const pendingEvents = ({ events }: Dialog) => events.map(pendingOf)
  await removePendingEvents(store, over.filter((one) => !isRefused(one)).flatMap(pendingEvents))
  await pMap(over.filter(isRefused), (one) => removeDialog(store, pendingEvents(one)), {
    concurrency: QUERIES_AT_ONCE,
  })
}

const isOrphan = (kind: Correlated['kind']): boolean => kind === 'no_start' || kind === 'no_end'

function correlatedDialog(
  { settings, now }: Mediation,
  dialog: string,
  events: readonly EventPart[],
): Dialog {
  const hours = settings.Intake_Join_Hours ?? DEFAULT_HOURS
  return {
    dialog,
    events,
    correlated: correlated(
      events.map(({ found }) => found.event),
      { now, hours },
    ),
  }
}

const DEFAULT_HOURS = 24

async function outcomesOf(mediation: Mediation, dialogs: readonly Dialog[]): Promise<Map<string, Outcome>> {
  const calls = dialogs.flatMap(callOf)
  const outcomes = await storeCdrs(mediation, calls)
  const ofCalls = new Map(calls.map((call) => [call.dialog, outcomes.get(call) ?? 'pending']))
  return new Map(dialogs.map((one) => [one.dialog, ofCalls.get(one.dialog) ?? outcomeOf(one)]))
}

function callOf({ dialog, events: [first], correlated: made }: Dialog): (SourcedCdr & { dialog: string })[] {
  if (made.kind !== 'cdr' || !first) return []
  const { source } = first.document
  return [
    { dialog, source, cdr: { ...made.cdr, uniqueid: storableId(made.cdr.uniqueid, `${source}\0${dialog}`) } },
  ]
}

const outcomeOf = ({ correlated: { kind } }: Dialog): Outcome =>
  kind === 'no_start' || kind === 'no_end'
    ? { reason: kind, detail: 'the counterpart of this dialog event did not come within Intake_Join_Hours' }
    : 'pending'

const refusedEvents = ({ events }: Dialog, outcome: Outcome | undefined) =>
  typeof outcome === 'object' ? events.map((part) => ({ part, problem: outcome })) : []

/** Suspends dialog events that have been pending too long. Answers how many. */
export async function suspendOverdue(mediation: Mediation): Promise<number> {
  let overdue = 0
  let events: PendingEvent[] = []
  const settle = async () => {
    const parts = events.flatMap(eventPartsOf)
    const outcomes = await settleDialogs(mediation, parts)
    overdue += parts.filter((part) => outcomes.get(dialogOf(part)) === 'suspended').length
    events = []
  }
  for await (const event of listPendingEvents(mediation.store)) {
    if (events.length >= EVENTS_AT_ONCE && events.at(-1)?.dialog !== event.dialog) await settle()
    events.push(event)
  }
  await settle()
  return overdue
}

const EVENTS_AT_ONCE = 1000

/** The result of a correlation: a CDR, nothing yet, or an event whose counterpart is overdue. */
export type Correlated =
  | { readonly kind: 'cdr'; readonly cdr: Cdr }
  | { readonly kind: 'pending' | 'no_start' | 'no_end' }

interface Patience {
  readonly now: Seconds
  /** How long an event waits for its counterpart. */
  readonly hours: number
}

/**
 * Correlates the events of one dialog, in whatever order and however often they came. The first answer is the beginning: a
 * later INVITE of the same dialog changes a call in progress, and one that is refused changes nothing. The first BYE is
 * the end: both sides may hang up, and each may send it again. A call that nobody answered needs no end.
 */
export function correlated(events: readonly DialogEvent[], patience: Patience): Correlated {
  const [start, end, failure] = (['answered', 'ended', 'failed'] as const).map((what) => first(events, what))
  if (start && end) return { kind: 'cdr', cdr: cdrOf(start, Math.max(0, end.at - start.at)) }
  if (start) return { kind: isOver(start, patience) ? 'no_end' : 'pending' }
  if (failure) return { kind: 'cdr', cdr: cdrOf(failure, 0) }
  return { kind: end && isOver(end, patience) ? 'no_start' : 'pending' }
}

const isOver = ({ at }: DialogEvent, { now, hours }: Patience): boolean => now - at > hours * HOUR_SECONDS

const first = (events: readonly DialogEvent[], what: DialogEvent['tells']): DialogEvent | undefined =>
  events.filter(({ tells }) => tells === what).toSorted((one, other) => one.at - other.at)[0]

/** A proxy reports an INVITE when it is answered: how long it rang before is not known. */
function cdrOf(event: DialogEvent, seconds: number): Cdr {
  const { tells, sipStatus, callId, at, src, dst, party, provider } = event
  const hangupcause = hangupCauseOfSip(sipStatus)
  const disposition = dispositionByCause(tells === 'answered', hangupcause)
  const times = { start: at, duration: seconds, billsec: seconds }
  const ends = { src, dst, channel: '', party, provider }
  return { uniqueid: callId, part: partOf(event), ...times, disposition, hangupcause, ...ends }
}
