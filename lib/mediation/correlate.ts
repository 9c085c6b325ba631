import pMap from 'p-map'
import { groupBy, oncePerObject, slices } from '#lib/domain/collections.ts'
import { type Call, callKeys, findCalls } from '#lib/store/calls/call.ts'
import {
  listPendingEvents,
  listPendingEventsOf,
  type PendingEvent,
  putPendingEvents,
  removalOf,
  removePendingEvents,
} from '#lib/store/calls/dialog-event.ts'
import { listSuspendedAmong, removeSuspended } from '#lib/store/calls/suspense.ts'
import { absent, CHANGES_IN_ONE_TRANSACTION, type Change, is } from '#lib/store/requests/changes.ts'
import { ignoreConditionFailed } from '#lib/store/requests/retries.ts'
import { type DialogEvent, isFormat, type Problem } from './formats/cdr.ts'
import { type Correlated, correlated, partOf } from './formats/dialog.ts'
import { hexDigest, type Mediation, type MediationOutcome, type PartOf, storableId } from './mediation.ts'
import { parse } from './parse.ts'
import { type SourcedCdr, storeCdrs } from './store-cdrs.ts'
import { entryIdOf, placeOfEvent, suspendTogether } from './suspend.ts'

type EventPart = PartOf<'dialog_event'>

const DIALOGS_AT_ONCE = 500
const QUERIES_AT_ONCE = 16

/**
 * Correlates dialog events. An event is stored as pending before the events of its dialog are read: if two arrive at the
 * same time, at least one delivery finds both. A pending event is removed after its call is stored: a failure in between
 * repeats work, but loses no event.
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
 * Stores the calls that pending events make, and suspends orphans and events that make no call. Returns the outcome of each
 * dialog; none if another delivery decides it at the same time. `closed` has the dialogs whose call is stored: their events
 * are only removed.
 */
async function decideDialogs(
  mediation: Mediation,
  parts: readonly EventPart[],
  closed: ReadonlySet<string> = new Set(),
): Promise<Map<string, MediationOutcome>> {
  const dialogs = [...groupBy(parts, dialogOf)].map(([dialog, events]) =>
    correlatedDialog(mediation, dialog, events),
  )
  const open = dialogs.filter(({ dialog }) => !closed.has(dialog))
  const outcomes = await suspendRefused(mediation, open, await outcomesOf(mediation, open))
  const isDone = ({ dialog }: Dialog) => closed.has(dialog) || STORED.has(outcomes.get(dialog))
  await removeStored(mediation, dialogs.filter(isDone))
  return outcomes
}

/** The outcomes of a dialog whose call is stored. */
const STORED = new Set<MediationOutcome | undefined>(['stored', 'corrected', 'duplicate'])

/** Suspends the dialogs whose outcome is a problem. */
async function suspendRefused(
  mediation: Mediation,
  dialogs: readonly Dialog[],
  outcomes: ReadonlyMap<string, MediationOutcome>,
): Promise<Map<string, MediationOutcome>> {
  const refused = dialogs.flatMap((one) => {
    const problem = outcomes.get(one.dialog)
    return typeof problem === 'object' ? [{ ...one, problem }] : []
  })
  const calls = await storedAmong(
    mediation,
    refused.flatMap(({ events: [first] }) => first ?? []),
  )
  const suspend = async (one: RefusedDialog) =>
    [one.dialog, await suspendDialog(mediation, one, calls.get(one.dialog))] as const
  const decided = new Map(await pMap(refused, suspend, { concurrency: QUERIES_AT_ONCE }))
  return new Map(
    [...outcomes].flatMap(([dialog, outcome]) => {
      const now = decided.has(dialog) ? decided.get(dialog) : outcome
      return now === undefined ? [] : [[dialog, now] as const]
    }),
  )
}

interface RefusedDialog extends Dialog {
  readonly problem: Problem
}

/** An event has two changes in a transaction, beside the check of the call. */
const EVENTS_IN_ONE_TRANSACTION = Math.floor((CHANGES_IN_ONE_TRANSACTION - 1) / 2)

/**
 * Moves the events of a dialog from the pending ones to suspense, in one transaction and only while its call is as it was
 * read: of two deliveries that decide a dialog one changes nothing, and no event of a stored call is suspended. `undefined`
 * if another delivery has decided the dialog meanwhile.
 */
async function suspendDialog(
  mediation: Mediation,
  { events, correlated: { kind }, problem }: RefusedDialog,
  call: Call | undefined,
): Promise<MediationOutcome | undefined> {
  if (isOrphan(kind) && call && isAnswered(call)) return 'duplicate'
  const check = checkOfCall(events[0] as EventPart, call)
  try {
    for (const some of slices(events, EVENTS_IN_ONE_TRANSACTION)) {
      const refused = some.map((part) => ({ part, problem }))
      await suspendTogether(mediation, refused, [check, ...some.map((part) => removalOf(pendingOf(part)))])
    }
    return 'suspended'
  } catch (error) {
    ignoreConditionFailed(error)
    return undefined
  }
}

const checkOfCall = (part: EventPart, call: Call | undefined): Change => ({
  check: callKeys.item(identityOfDialog(part)),
  when: call ? { version: is(call.version) } : { PK: absent },
})

/**
 * Removes the events of stored calls. Those that were suspended meanwhile leave suspense first: while they are pending,
 * the next run repeats this.
 */
async function removeStored({ store }: Mediation, dialogs: readonly Dialog[]): Promise<void> {
  const events = dialogs.flatMap((one) => one.events)
  await removeSuspended(store, await listSuspendedAmong(store, events.map(entryIdOf), 'strong'))
  await removePendingEvents(store, events.map(pendingOf))
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
