import pMap from 'p-map'
import { groupBy, slices } from '#lib/domain/collections.ts'
import {
  listPendingEvents,
  listPendingEventsOf,
  type PendingEvent,
  putPendingEvents,
} from '#lib/store/calls/dialog-event.ts'
import { QUERIES_AT_ONCE } from '#lib/store/requests/query.ts'
import { isTransient } from '#lib/store/requests/retries.ts'
import { decideDialogs, removeEvents, suspendUndecided } from './decide-dialogs.ts'
import { covers, dialogOf, type EventPart, eventPartsOf, pendingOf, storedCallsOf } from './dialog-parts.ts'
import type { Mediation, MediationOutcome } from './mediation.ts'

const DIALOGS_AT_ONCE = 500

/**
 * Correlates dialog events. An event is stored as pending before the events of its dialog are read: if two arrive at the
 * same time, at least one run finds both. A pending event is removed after its call is stored: a failure in between repeats
 * work, but loses no event.
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

async function correlateDialogs(
  mediation: Mediation,
  dialogs: ReadonlyMap<string, readonly EventPart[]>,
): Promise<Map<string, MediationOutcome>> {
  const stored = await storedCallsOf(mediation, dialogs.values())
  const isCovered = (dialog: string, events: readonly EventPart[]) => covers(stored.get(dialog), events)
  const open = [...dialogs].flatMap(([dialog, events]) => (isCovered(dialog, events) ? [] : events))
  const parts = await withPending(mediation, dialogs.keys(), open)
  const known = groupBy(parts, dialogOf)
  const closed = new Set([...dialogs.keys()].filter((dialog) => isCovered(dialog, known.get(dialog) ?? [])))
  const isClosed = (part: EventPart) => closed.has(dialogOf(part))
  const outcomes = await decideDialogs(
    mediation,
    parts.filter((part) => !isClosed(part)),
  )
  await removeEvents(mediation, parts.filter(isClosed))
  for (const dialog of closed) outcomes.set(dialog, 'duplicate')
  const taken = [...dialogs].filter(([dialog]) => !outcomes.has(dialog))
  return new Map([...outcomes, ...(await outcomesOfTaken(mediation, new Map(taken)))])
}

/** Stores these events as pending, and returns all pending events of the dialogs. */
async function withPending(
  { store }: Mediation,
  dialogs: Iterable<string>,
  given: readonly EventPart[],
): Promise<EventPart[]> {
  const parts = new Map(given.map((part) => [nameOfPending(pendingOf(part)), part]))
  await putPendingEvents(store, given.map(pendingOf))
  const query = (dialog: string) => listPendingEventsOf(store, dialog)
  const pending = await pMap(dialogs, query, { concurrency: QUERIES_AT_ONCE })
  return pending.flat().flatMap((event) => parts.get(nameOfPending(event)) ?? eventPartsOf(event))
}

const nameOfPending = ({ dialog, place }: PendingEvent): string => `${dialog} ${place}`

/**
 * The outcomes of dialogs whose pending events are gone: another run has stored their call or suspended them meanwhile.
 * `suspended` keeps an entry that the other run may have written.
 */
async function outcomesOfTaken(
  mediation: Mediation,
  dialogs: ReadonlyMap<string, readonly EventPart[]>,
): Promise<[dialog: string, MediationOutcome][]> {
  const stored = await storedCallsOf(mediation, dialogs.values())
  return [...dialogs].map(([dialog, events]) => [
    dialog,
    covers(stored.get(dialog), events) ? 'duplicate' : 'suspended',
  ])
}

const EVENTS_AT_ONCE = 1000

/**
 * Suspends dialog events that have been pending too long, and returns how many. Pending events have no TTL for this
 * reason: a TTL would delete them unseen, and suspense shows them to the operator.
 */
export async function suspendOverdue(mediation: Mediation): Promise<number> {
  let overdue = 0
  let events: PendingEvent[] = []
  const decide = async () => {
    const parts = events.flatMap(eventPartsOf)
    const outcomes = await decideApart(mediation, [...groupBy(parts, dialogOf).values()])
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

/** A dialog whose content makes its decision fail is found by halving. It is suspended alone and delays no other dialog. */
async function decideApart(
  mediation: Mediation,
  dialogs: readonly (readonly EventPart[])[],
): Promise<ReadonlyMap<string, MediationOutcome>> {
  try {
    return await decideDialogs(mediation, dialogs.flat())
  } catch (error) {
    if (isTransient(error)) throw error
    if (dialogs.length <= 1) {
      const outcome = await suspendUndecided(mediation, dialogs.flat(), error)
      return new Map(dialogs.flat().map((event) => [dialogOf(event), outcome]))
    }
    const middle = Math.ceil(dialogs.length / 2)
    const first = await decideApart(mediation, dialogs.slice(0, middle))
    return new Map([...first, ...(await decideApart(mediation, dialogs.slice(middle)))])
  }
}
