import { slices } from '#lib/base/collections.ts'
import { isolatingPoison } from '#lib/table/requests/retries.ts'
import { correlate } from './dialogs/correlate.ts'
import type { CdrDocument, Found } from './formats/cdr.ts'
import { cutDocument, parse } from './formats/parse.ts'
import { trackCalls } from './live-events.ts'
import { entryIdOf, type Mediation, type MediationOutcome, type Part, type PartOf } from './mediation.ts'
import { storeCdrs } from './store-cdrs.ts'
import { MAX_SUSPENDED_BYTES, type Refused, suspendParts } from './suspense/suspend.ts'
import {
  hasSuspended,
  listSuspendedAmong,
  removeSuspended,
  type SuspendedCdr,
  suspenseKeys,
} from './suspense/suspense.ts'

/** The number of CDRs by outcome. `pending`: dialog events whose counterpart has not come yet. */
export type MediationReport = Record<keyof typeof NOTHING_MEDIATED, number>

export const NOTHING_MEDIATED = {
  stored: 0,
  duplicate: 0,
  corrected: 0,
  pending: 0,
  suspended: 0,
  skipped: 0,
} as const

/** The number of parts that are mediated together. They are in memory at once. */
export const PARTS_AT_ONCE = 1000

/**
 * Mediates the parts of CDR documents: each CDR becomes a rated call of its customer, or is suspended with its reason. The
 * same parts again change nothing. `noteSuspended` gets the suspended CDRs with their reasons. Throws only transient errors
 * (time, throttling, network). Some CDRs may be stored by then: they are duplicates at the next attempt.
 */
export async function mediate(
  mediation: Mediation,
  parts: Iterable<Part>,
  noteSuspended: (refused: readonly Refused[]) => void = () => {},
): Promise<MediationReport> {
  const report: MediationReport = { ...NOTHING_MEDIATED }
  for (const some of slices(parts, PARTS_AT_ONCE)) {
    const [outcomes, entries] = await Promise.all([mediateParts(mediation, some), entriesOf(mediation, some)])
    const refused = refusedIn(outcomes)
    // Suspended first, removed after: a failure in between leaves an entry too many, never one too few.
    if (refused.length > 0) await suspendParts(mediation, refused)
    await removeStored(mediation, outcomes, entries)
    for (const [, outcome] of outcomes) report[typeof outcome === 'object' ? 'suspended' : outcome] += 1
    noteSuspended(refused)
  }
  return report
}

/** The parts of documents, in order. A large document is parsed piece by piece. */
export function* partsOf({ settings, order }: Mediation, documents: Iterable<CdrDocument>): Generator<Part> {
  let index = 0
  for (const document of documents) {
    const inZone = { ...document, zone: document.zone || settings.Timezone }
    for (const piece of cutDocument(inZone, MAX_SUSPENDED_BYTES)) {
      for (const { found, text } of parse(piece)) {
        yield { document: piece, found, text, order: suspenseKeys.orderAt(order, index) }
        index += 1
      }
    }
  }
}

/** With more CDRs than this, one read tells first whether suspense has any entry: that saves a read for each CDR. */
const MIN_PARTS_TO_PROBE = 10

/** The entries of suspense that CDRs and dialog events have from an earlier document. */
async function entriesOf({ store }: Mediation, parts: readonly Part[]): Promise<SuspendedCdr[]> {
  const identified = parts.filter(({ found: { kind } }) => kind === 'cdr' || kind === 'dialog_event')
  if (identified.length > MIN_PARTS_TO_PROBE && !(await hasSuspended(store))) return []
  return listSuspendedAmong(store, identified.map(entryIdOf), 'eventual')
}

/** A part and what became of it. */
export type PartOutcome = readonly [part: Part, outcome: MediationOutcome]

/**
 * Mediates parts and returns the outcome of each. The caller suspends those with a problem. A part whose content makes
 * mediation fail is one of them.
 */
export const mediateParts = (mediation: Mediation, parts: readonly Part[]): Promise<readonly PartOutcome[]> =>
  isolatingPoison<Part, PartOutcome>(
    parts,
    (some) => mediateTogether(mediation, some),
    (part, error) => [part, { reason: 'unreadable', detail: String(error) }],
  )

async function mediateTogether(mediation: Mediation, parts: readonly Part[]): Promise<PartOutcome[]> {
  const cdrs = parts.filter(isOf('cdr')).map(sourcedCdrOf)
  const stored = await storeCdrs(mediation, cdrs)
  const events = parts.filter(isOf('dialog_event'))
  const live = parts.filter(isOf('live_event'))
  const outcomes = new Map<Part, MediationOutcome | undefined>([
    ...cdrs.map((cdr) => [cdr.part, stored.get(cdr)] as const),
    ...(events.length > 0 ? await correlate(mediation, events) : []),
    ...(live.length > 0 ? await trackCalls(mediation, live) : []),
  ])
  return parts.map((part) => [part, outcomes.get(part) ?? unstored(part.found)])
}

function sourcedCdrOf(part: PartOf<'cdr'>) {
  const { source, format } = part.document
  const { cdr } = part.found
  const isOfAsterisk = format.startsWith('asterisk')
  const idNames = isOfAsterisk && cdr.part === '' ? ('channel' as const) : ('call' as const)
  const hasIdentityKind = isOfAsterisk || format === 'csv'
  const { order: arrival, isRetried = false } = part
  return { part, source, cdr, idNames, hasIdentityKind, isRetried, arrival }
}

const isOf =
  <K extends Found['kind']>(kind: K) =>
  (part: Part): part is PartOf<K> =>
    part.found.kind === kind

const unstored = (found: Found): MediationOutcome =>
  found.kind === 'problem' ? { reason: found.reason, detail: found.detail } : 'skipped'

export const refusedIn = (outcomes: readonly PartOutcome[]): Refused[] =>
  outcomes.flatMap(([part, problem]) => (typeof problem === 'object' ? [{ part, problem }] : []))

/** Removes the entries of CDRs that are no longer suspended. */
export async function removeStored(
  { store }: Mediation,
  outcomes: readonly PartOutcome[],
  entries: readonly SuspendedCdr[],
): Promise<void> {
  const suspended = new Set(outcomes.filter(isSuspended).map(([part]) => entryIdOf(part)))
  await removeSuspended(
    store,
    entries.filter(({ id }) => !suspended.has(id)),
  )
}

export const isSuspended = ([, outcome]: PartOutcome): boolean =>
  typeof outcome === 'object' || outcome === 'suspended'
