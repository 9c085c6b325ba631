import pMap from 'p-map'
import { HOUR_SECONDS } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { type Call, callKeys } from '#lib/calls/call.ts'
import { absent, CHANGES_IN_ONE_TRANSACTION, type Change, is } from '#lib/table/requests/changes.ts'
import { ignoreConditionFailed, isTransient } from '#lib/table/requests/retries.ts'
import type { Cdr, DialogEvent, Problem } from '../formats/cdr.ts'
import { correlated } from '../formats/dialog.ts'
import {
  type CdrVersion,
  entryIdOf,
  isStoredOutcome,
  type MediationContext,
  type MediationOutcome,
  newVersion,
} from '../mediation.ts'
import { suspendParts, suspenseEntry } from '../suspense/suspend.ts'
import { listSuspendedAmong, putSuspendedTogether, removeSuspended } from '../suspense/suspense.ts'
import { removalOf, removePendingEvents } from './dialog-event.ts'
import {
  arrivalOf,
  covers,
  dialogOf,
  type EventPart,
  identityOfDialog,
  pendingOf,
  storedCallsOf,
} from './dialog-parts.ts'

const DIALOGS_AT_ONCE = 16

/** The known events of one dialog, and the CDR that they make or the reason why they make none. */
export interface Dialog {
  readonly first: EventPart
  readonly events: readonly EventPart[]
  readonly result: CdrVersion | 'pending' | 'no_start' | 'no_end' | 'ends_first'
}

/**
 * Settles dialogs after their CDRs are stored: suspends orphans and events whose call cannot be stored,
 * removes events of stored and skipped calls. Returns the outcome by dialog; none if another run decides it.
 */
export async function settleDialogs(
  mediation: MediationContext,
  dialogs: readonly Dialog[],
  stored: ReadonlyMap<Cdr, MediationOutcome>,
): Promise<Map<string, MediationOutcome | undefined>> {
  const decided = dialogs.map((dialog) => [dialog, outcomeOf(dialog, stored)] as const)
  const outcomes = new Map([...decided, ...(await suspendRefused(mediation, decided))])
  const isDone = (dialog: Dialog) =>
    isStoredOutcome(outcomes.get(dialog)) || outcomes.get(dialog) === 'skipped'
  await removeEvents(mediation, dialogs.filter(isDone).flatMap(doneEvents))
  return new Map(dialogs.map((dialog) => [dialogOf(dialog.first), outcomes.get(dialog)]))
}

export const cdrsOfDialogs = (dialogs: readonly Dialog[]): CdrVersion[] =>
  dialogs.flatMap(({ result }) => (typeof result === 'object' ? [result] : []))

/** After a refusal, a BYE stays pending: the answered INVITE that it belongs to may come later. */
const doneEvents = ({ events, result }: Dialog): readonly EventPart[] =>
  typeof result === 'object' ? events.filter((event) => covers(result.cdr, [event])) : events

const DEFAULT_JOIN_HOURS = 24

/** The dialog of these events. */
export function correlatedDialog({ settings, now }: MediationContext, events: readonly EventPart[]): Dialog {
  const first = events[0] as EventPart
  const hours = settings.Intake_Join_Hours ?? DEFAULT_JOIN_HOURS
  const partOf = new Map(events.map((part) => [part.found.event, part]))
  const isOverdue = (event: DialogEvent) => now - arrivalOf(partOf.get(event) ?? first) > hours * HOUR_SECONDS
  const made = correlated([...partOf.keys()], isOverdue)
  if (made.kind !== 'cdr') return { first, events, result: made.kind }
  const { source } = first.document
  const { uniqueid } = identityOfDialog(first)
  const isRetried = events.some((event) => event.isRetried)
  const cdr = { ...made.cdr, uniqueid }
  return { first, events, result: newVersion({ source, idNames: 'dialog', isRetried, cdr }) }
}

function outcomeOf({ result }: Dialog, stored: ReadonlyMap<Cdr, MediationOutcome>): MediationOutcome {
  if (typeof result === 'object') return stored.get(result.cdr) as MediationOutcome
  if (result === 'pending') return result
  if (result === 'ends_first') return ENDS_FIRST
  return {
    reason: result,
    detail: 'the counterpart of this dialog event did not come within Intake_Join_Hours',
  }
}

const ENDS_FIRST: Problem = {
  reason: 'impossible_time',
  detail: 'its BYE is earlier than the answer of its INVITE: keep the clocks of the proxies together by NTP',
}

/** Suspends the dialogs whose outcome is a problem. Returns what became of them. */
async function suspendRefused(
  mediation: MediationContext,
  decided: readonly (readonly [Dialog, MediationOutcome])[],
): Promise<(readonly [Dialog, MediationOutcome | undefined])[]> {
  const refused = decided.flatMap(([dialog, problem]) =>
    typeof problem === 'object' ? [{ dialog, problem }] : [],
  )
  const events = refused.map(({ dialog }) => dialog.events)
  const calls = await storedCallsOf(mediation, events)
  const suspend = async ({ dialog, problem }: (typeof refused)[number]) => {
    const outcome = suspendDialog(mediation, dialog, problem, calls.get(dialogOf(dialog.first)))
    const suspended = outcome.catch(async (error: unknown) => {
      await suspendUndecided(mediation, dialog.events, error)
      return 'suspended' as const
    })
    return [dialog, await suspended] as const
  }
  return pMap(refused, suspend, { concurrency: DIALOGS_AT_ONCE })
}

/** An event has two changes in a transaction, in addition to the check of the call. */
const EVENTS_IN_ONE_TRANSACTION = Math.floor((CHANGES_IN_ONE_TRANSACTION - 1) / 2)

/**
 * Moves a dialog's events from pending to suspense, in one transaction and only while its call is as it was
 * read: of two runs that decide a dialog one changes nothing, and no event of a stored call is suspended. An
 * overdue BYE after a stored refusal ended a call before its answer. `undefined` if another run decided.
 */
async function suspendDialog(
  mediation: MediationContext,
  { first, events, result }: Dialog,
  problem: Problem,
  call: Call | undefined,
): Promise<MediationOutcome | undefined> {
  if (covers(call, events) || (call && result === 'no_start')) return 'duplicate'
  const check: Change = {
    check: callKeys.item(call ?? identityOfDialog(first)),
    when: call ? { version: is(call.version) } : { PK: absent },
  }
  try {
    for (const some of slices(events, EVENTS_IN_ONE_TRANSACTION)) {
      const entries = some.map((part) => suspenseEntry(mediation, { part, problem }))
      const removals = some.map((part) => removalOf(pendingOf(part)))
      await putSuspendedTogether(mediation.store, entries, [check, ...removals])
    }
    return 'suspended'
  } catch (error) {
    ignoreConditionFailed(error)
    return undefined
  }
}

/** Suspends and returns events that their content makes undecidable, with any stored state of their calls. */
export async function suspendUndecided(
  mediation: MediationContext,
  events: readonly EventPart[],
  error: unknown,
): Promise<readonly EventPart[]> {
  if (isTransient(error)) throw error
  const problem: Problem = { reason: 'unreadable', detail: String(error) }
  const refused = events.map((part) => ({ part, problem }))
  await suspendParts(mediation, refused)
  await removePendingEvents(mediation.store, events.map(pendingOf))
  return events
}

/**
 * Removes the events of stored calls. Those that were suspended meanwhile leave suspense first: while they
 * are pending, the next run repeats this.
 */
export async function removeEvents({ store }: MediationContext, events: readonly EventPart[]): Promise<void> {
  await removeSuspended(store, await listSuspendedAmong(store, events.map(entryIdOf), 'strong'))
  await removePendingEvents(store, events.map(pendingOf))
}
