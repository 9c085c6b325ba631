import type { Call } from '#lib/calls/call.ts'
import { findForEach } from '#lib/table/requests/query.ts'
import { isolatingPoison } from '#lib/table/requests/retries.ts'
import type { Mediation, MediationOutcome } from '../mediation.ts'
import { decideDialogs, removeEvents, suspendUndecided } from './decide-dialogs.ts'
import {
  listPendingEvents,
  listPendingEventsOf,
  type PendingEvent,
  putPendingEvents,
} from './dialog-event.ts'
import { covers, dialogOf, type EventPart, eventPartsOf, pendingOf, storedCallsOf } from './dialog-parts.ts'

/**
 * Correlates dialog events. An event is stored as pending before the events of its dialog are read: if two arrive at the
 * same time, at least one run finds both. A pending event is removed after its call is stored: a failure in between repeats
 * work, but loses no event.
 */
export async function correlate(
  mediation: Mediation,
  parts: readonly EventPart[],
): Promise<Map<EventPart, MediationOutcome>> {
  const dialogs = Map.groupBy(parts, dialogOf)
  const stored = await storedCallsOf(mediation, dialogs.values())
  const open = [...dialogs].flatMap(([dialog, events]) => (covers(stored.get(dialog), events) ? [] : events))
  const known = Map.groupBy(await withPending(mediation, dialogs.keys(), open), dialogOf)
  const isClosed = (dialog: string) => covers(stored.get(dialog), known.get(dialog) ?? [])
  const outcomes = await decideDialogs(
    mediation,
    [...known].flatMap(([dialog, events]) => (isClosed(dialog) ? [] : [events])),
  )
  await removeEvents(
    mediation,
    [...known].flatMap(([dialog, events]) => (isClosed(dialog) ? events : [])),
  )
  for (const dialog of [...dialogs.keys()].filter(isClosed)) outcomes.set(dialog, 'duplicate')
  const taken = [...dialogs].flatMap(([dialog, events]) => (outcomes.get(dialog) ? [] : [events]))
  const storedNow = await storedCallsOf(mediation, taken)
  return new Map(
    [...dialogs].flatMap(([dialog, events]) => {
      const outcome = outcomes.get(dialog) ?? outcomeOfTaken(storedNow.get(dialog), events)
      return events.map((part) => [part, outcome])
    }),
  )
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
  const pending = await findForEach(dialogs, query)
  return pending.flat().flatMap((event) => parts.get(nameOfPending(event)) ?? eventPartsOf(event))
}

const nameOfPending = ({ dialog, place }: PendingEvent): string => `${dialog} ${place}`

/**
 * The outcome of a dialog whose pending events are gone: another run has stored its call or suspended them meanwhile.
 * `suspended` keeps an entry that the other run may have written.
 */
const outcomeOfTaken = (call: Call | undefined, events: readonly EventPart[]): MediationOutcome =>
  covers(call, events) ? 'duplicate' : 'suspended'

/**
 * Suspends dialog events that have been pending too long, and returns how many. Pending events have no TTL for this
 * reason: a TTL would delete them unseen, and suspense shows them to the operator. A dialog whose content makes its decision
 * fail is suspended alone and delays no other dialog.
 */
export async function suspendOverdue(mediation: Mediation): Promise<number> {
  const decide = async (dialogs: readonly (readonly EventPart[])[]) => {
    const outcomes = await decideDialogs(mediation, dialogs)
    return dialogs.map((events) => events.filter((part) => outcomes.get(dialogOf(part)) === 'suspended'))
  }
  let overdue = 0
  for await (const events of inWholeDialogs(listPendingEvents(mediation.store), EVENTS_AT_ONCE)) {
    const dialogs = [...Map.groupBy(events.flatMap(eventPartsOf), dialogOf).values()]
    const suspended = await isolatingPoison(dialogs, decide, (undecided, error) =>
      suspendUndecided(mediation, undecided, error),
    )
    overdue += suspended.flat().length
  }
  return overdue
}

const EVENTS_AT_ONCE = 1000

/** Pending events in batches of at least so many. A batch ends between two dialogs. */
export async function* inWholeDialogs(
  events: AsyncIterable<PendingEvent>,
  atOnce: number,
): AsyncGenerator<PendingEvent[]> {
  let batch: PendingEvent[] = []
  for await (const event of events) {
    if (batch.length >= atOnce && batch.at(-1)?.dialog !== event.dialog) {
      yield batch
      batch = []
    }
    batch.push(event)
  }
  yield batch
}
