import { isolatingPoison } from '#lib/table/requests/retries.ts'
import type { MediationContext } from '../mediation.ts'
import { storeCdrs } from '../pipeline.ts'
import { cdrsOfDialogs, correlatedDialog, settleDialogs, suspendUndecided } from './decide-dialogs.ts'
import { listPendingEvents, type PendingEvent } from './dialog-event.ts'
import { dialogOf, type EventPart, eventPartsOf } from './dialog-parts.ts'

/**
 * Suspends dialog events that have been pending too long, and returns how many. Pending events have no TTL
 * for this reason: a TTL would delete them unseen, and suspense shows them to the operator. A dialog whose
 * content makes its decision fail is suspended alone and delays no other dialog.
 */
export async function suspendOverdue(mediation: MediationContext): Promise<number> {
  const decide = async (dialogs: readonly (readonly EventPart[])[]) => {
    const known = dialogs.map((events) => correlatedDialog(mediation, events))
    const outcomes = await settleDialogs(mediation, known, await storeCdrs(mediation, cdrsOfDialogs(known)))
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

/** Pending events in batches of at least this size. A batch ends between two dialogs. */
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
