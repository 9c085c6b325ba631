import type { Call } from '#lib/calls/call.ts'
import { findForEach } from '#lib/table/requests/query.ts'
import type { Cdr } from '../formats/cdr.ts'
import type { MediationContext, MediationOutcome, Part } from '../mediation.ts'
import { correlatedDialog, type Dialog, removeEvents, settleDialogs } from './decide-dialogs.ts'
import { listPendingEventsOf, type PendingEvent, putPendingEvents } from './dialog-event.ts'
import { covers, dialogOf, type EventPart, eventPartsOf, pendingOf, storedCallsOf } from './dialog-parts.ts'

/** Dialog events with the pending events of their dialogs. */
interface OpenDialogs {
  /** The incoming events, by dialog. */
  readonly incoming: ReadonlyMap<string, readonly EventPart[]>
  readonly dialogs: readonly Dialog[]
  /** The dialogs whose stored call covers all their events. */
  readonly closed: ReadonlySet<string>
}

/**
 * Correlates dialog events with those that are pending. An event is stored as pending before the events of
 * its dialog are read: if two arrive at the same time, at least one run finds both. A pending event is
 * removed after its call is stored: a failure in between repeats work, but loses no event.
 */
export async function openDialogs(
  mediation: MediationContext,
  parts: readonly EventPart[],
): Promise<OpenDialogs> {
  const incoming = Map.groupBy(parts, dialogOf)
  const stored = await storedCallsOf(mediation, incoming.values())
  const open = [...incoming].flatMap(([dialog, events]) => (covers(stored.get(dialog), events) ? [] : events))
  const known = Map.groupBy(await withPending(mediation, incoming.keys(), open), dialogOf)
  const isClosed = (dialog: string) => covers(stored.get(dialog), known.get(dialog) ?? [])
  const closed = new Set([...incoming.keys()].filter(isClosed))
  const dialogs = [...known].flatMap(([dialog, events]) =>
    closed.has(dialog) ? [] : [correlatedDialog(mediation, events)],
  )
  const covered = [...known].flatMap(([dialog, events]) => (closed.has(dialog) ? events : []))
  await removeEvents(mediation, covered)
  return { incoming, dialogs, closed }
}

/** The outcome of each incoming event, once the CDRs of its dialog are stored. */
export async function outcomesOfEvents(
  mediation: MediationContext,
  { incoming, dialogs, closed }: OpenDialogs,
  stored: ReadonlyMap<Cdr, MediationOutcome>,
): Promise<Map<Part, MediationOutcome>> {
  const outcomes = await settleDialogs(mediation, dialogs, stored)
  for (const dialog of closed) outcomes.set(dialog, 'duplicate')
  const taken = [...incoming].flatMap(([dialog, events]) => (outcomes.get(dialog) ? [] : [events]))
  const storedNow = await storedCallsOf(mediation, taken)
  return new Map(
    [...incoming].flatMap(([dialog, events]) => {
      const outcome = outcomes.get(dialog) ?? outcomeOfTaken(storedNow.get(dialog), events)
      return events.map((part) => [part, outcome] as const)
    }),
  )
}

/** Stores these events as pending, and returns all pending events of the dialogs. */
async function withPending(
  { store }: MediationContext,
  dialogs: Iterable<string>,
  given: readonly EventPart[],
): Promise<EventPart[]> {
  const parts = new Map(given.map((part) => [nameOfPending(pendingOf(part)), part]))
  await putPendingEvents(store, given.map(pendingOf))
  const query = (dialog: string) => listPendingEventsOf(store, dialog)
  const pending = await findForEach(dialogs, query)
  return pending.flat().flatMap((event) => parts.get(nameOfPending(event)) ?? eventPartsOf(event))
}

const nameOfPending = ({ dialog, place }: PendingEvent): string => `${dialog} ${place}`

/**
 * The outcome of a dialog whose pending events are gone: another run has stored its call or suspended them
 * meanwhile. `suspended` keeps an entry that the other run may have written.
 */
const outcomeOfTaken = (call: Call | undefined, events: readonly EventPart[]): MediationOutcome =>
  covers(call, events) ? 'duplicate' : 'suspended'
