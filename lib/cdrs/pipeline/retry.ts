import pMap from 'p-map'
import { DAY_SECONDS, hoursSince } from '#lib/base/calendar.ts'
import { slices } from '#lib/base/collections.ts'
import { writingOf } from '#lib/settings/intake.ts'
import { isolatingPoison } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import {
  cdrsOfDialogs,
  correlatedDialog,
  settleDialogs,
  suspendUndecided,
} from '../dialogs/decide-dialogs.ts'
import { listPendingEvents, type PendingEvent } from '../dialogs/dialog-event.ts'
import { dialogOf, type EventPart, eventPartsOf } from '../dialogs/dialog-parts.ts'
import type { Reason } from '../formats/cdr.ts'
import { type CdrDocument, isFormat } from '../formats/formats.ts'
import { type MediationContext, type Part, type PartOutcome, refusedIn } from '../mediation.ts'
import { suspendParts } from '../suspense/suspend.ts'
import {
  firstSeen,
  isSuspended,
  listSuspended,
  placeOf,
  removeStored,
  removeSuspended,
  type SuspendedCdr,
  suspendedText,
  suspenseKeys,
} from '../suspense/suspense.ts'
import { mediateParts, PARTS_AT_ONCE, partsOf, storeCdrs } from './pipeline.ts'

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

/** The number of CDRs that left suspense, and of those that are still suspended. */
interface RetryReport {
  readonly stored: number
  readonly suspended: number
}

export const SUSPENDED_TEXTS_AT_ONCE = 8

/**
 * Mediates suspended CDRs again, which come in the order of the list: of several versions of one call the
 * last one is stored. CDRs that can be stored now leave suspense. The others stay, with their current reason.
 * Both events of a dialog are correlated if they are among the same entries.
 */
export async function retryEntries(
  mediation: MediationContext,
  entries: readonly SuspendedCdr[],
): Promise<RetryReport> {
  // An entry that a later version of Tollgate wrote may have an unknown format: it stays.
  const readable = entries.filter(({ object, format }) => object === undefined && isFormat(format))
  const partsOfEntry = async (entry: SuspendedCdr) => {
    const order = suspenseKeys.orderOf(placeOf(entry))
    const parts = [...partsOf({ ...mediation, order }, await documentsOf(mediation.store, entry))]
    return parts.map((part): [Part, SuspendedCdr] => [{ ...part, isRetried: true }, entry])
  }
  const read = await pMap(readable, partsOfEntry, { concurrency: SUSPENDED_TEXTS_AT_ONCE })
  const entryOf = new Map(read.flat())
  const outcomes: PartOutcome[] = []
  for (const parts of slices(entryOf.keys(), PARTS_AT_ONCE)) {
    const decided = await mediateParts(mediation, parts)
    await suspendParts(mediation, refusedIn(decided))
    outcomes.push(...decided)
  }
  await removeStored(mediation, outcomes, readable)
  const open = new Set(outcomes.filter(isSuspended).map(([part]) => entryOf.get(part)))
  const suspended = open.size + entries.length - readable.length
  return { stored: entries.length - suspended, suspended }
}

/** An entry's document. Empty if its format is unknown, or its CDR is stored and its removal failed. */
export async function documentsOf(store: Store, entry: SuspendedCdr): Promise<CdrDocument[]> {
  const { format, source } = entry
  if (!isFormat(format) || entry.is_settled) return []
  return [{ ...writingOf(entry), format, source, text: await suspendedText(store, entry) }]
}

const BY_RATE = ['unknown_rate', 'blocked_destination'] as const
const BY_ACCOUNT = ['unknown_account', ...BY_RATE] as const

/** The reasons that the import of a file may cure, by file name. */
const CURED_REASONS = new Map<string, readonly Reason[]>([
  ['settings', BY_ACCOUNT],
  ['users', BY_ACCOUNT],
  ['devices', BY_ACCOUNT],
  ['dids', BY_ACCOUNT],
  ['currencies', BY_RATE],
  ['tariffs', BY_RATE],
  ['rates', BY_RATE],
  ['providers', BY_RATE],
])

/** The reasons of suspense that an import of these files may have cured. */
export const reasonsCuredBy = (files: readonly string[]): readonly Reason[] => [
  ...new Set(files.flatMap((file) => CURED_REASONS.get(file) ?? [])),
]

/** The reasons to retry, and the position to start after. With no reasons given, nothing is retried. */
export interface RetryRequest {
  readonly reasons: readonly string[]
  readonly after: string
}

/**
 * Retries CDRs that are suspended for these reasons, oldest first, in batches while there is time for another
 * one. The first run (`after` is blank) also enforces the limits of age. `next` is the position where the
 * next run resumes; `undefined` if all entries were retried.
 */
export async function retryBatches(
  mediation: MediationContext,
  { reasons, after }: RetryRequest,
  hasTime: () => boolean,
): Promise<RetryReport & { readonly next: string | undefined }> {
  if (after === '') await enforceAgeLimits(mediation)
  let [stored, suspended] = [0, 0]
  if (reasons.length === 0) return { stored, suspended, next: undefined }
  const wanted = new Set(reasons)
  for await (const batch of batchesOf(mediation.store, after)) {
    const entries = batch.filter(({ reason }) => wanted.has(reason))
    const outcome = await retryEntries(mediation, entries)
    stored += outcome.stored
    suspended += outcome.suspended
    const last = batch.at(-1)
    if (last && !hasTime()) return { stored, suspended, next: placeOf(last) }
  }
  return { stored, suspended, next: undefined }
}

/** A batch is held in memory: it ends at this many entries, or at this many bytes of their texts. */
const BATCH_ENTRIES = 2000
const BATCH_BYTES = 30_000_000

async function* batchesOf(store: Store, after: string): AsyncGenerator<SuspendedCdr[]> {
  let [batch, bytes]: [SuspendedCdr[], number] = [[], 0]
  for await (const page of listSuspended(store, { after })) {
    for (const entry of page) {
      batch.push(entry)
      bytes += entry.bytes ?? 0
      if (batch.length < BATCH_ENTRIES && bytes < BATCH_BYTES) continue
      yield batch
      ;[batch, bytes] = [[], 0]
    }
  }
  yield batch
}

/**
 * Suspends dialog events that are pending longer than Intake_Join_Hours, and removes entries older than
 * Suspense_Days. Returns the number of each.
 */
export async function enforceAgeLimits(
  mediation: MediationContext,
): Promise<{ readonly overdue: number; readonly expired: number }> {
  const { store, settings, now } = mediation
  const overdue = await suspendOverdue(mediation)
  const days = settings.Suspense_Days ?? 0
  let expired = 0
  if (days === 0) return { overdue, expired }
  for await (const page of listSuspended(store, { from: 0, till: now - days * DAY_SECONDS })) {
    await removeSuspended(store, page)
    expired += page.length
  }
  return { overdue, expired }
}

/** The number of suspended CDRs, and the age of the oldest one in hours. Reads the whole list. */
export async function measureSuspense({ store, now }: MediationContext): Promise<{
  readonly suspense_entries: number
  readonly suspense_oldest_hours: number
}> {
  let [entries, oldest] = [0, now]
  for await (const page of listSuspended(store, { from: 0, till: now })) {
    oldest = Math.min(oldest, ...page.map(firstSeen))
    entries += page.length
  }
  return { suspense_entries: entries, suspense_oldest_hours: hoursSince(oldest, now) }
}
