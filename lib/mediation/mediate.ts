import { slices } from '#lib/domain/collections.ts'
import {
  hasSuspended,
  listSuspendedAmong,
  removeSuspended,
  type SuspendedCdr,
  suspenseKeys,
} from '#lib/store/calls/suspense.ts'
import { isTransient } from '#lib/store/requests/retries.ts'
import { correlate } from './correlate.ts'
import type { CdrDocument, Found } from './formats/cdr.ts'
import { cutDocument, parse } from './formats/parse.ts'
import { trackCalls } from './live-events.ts'
import type { Mediation, MediationOutcome, Part, PartOf } from './mediation.ts'
import { storeCdrs } from './store-cdrs.ts'
import { entryIdOf, MAX_SUSPENDED_BYTES, type Refused, suspendParts } from './suspend.ts'

/** The number of CDRs by outcome. */
export interface MediationReport {
  stored: number
  duplicate: number
  corrected: number
  /** Dialog events whose counterpart has not come yet. */
  pending: number
  suspended: number
  skipped: number
}

export const NOTHING_MEDIATED: Readonly<MediationReport> = {
  stored: 0,
  duplicate: 0,
  corrected: 0,
  pending: 0,
  suspended: 0,
  skipped: 0,
}

const PARTS_AT_ONCE = 1000

/**
 * Mediates CDR documents: each CDR becomes a rated call of its customer, or is suspended with its reason. The same
 * documents again change nothing. `noteSuspended` gets the suspended CDRs with their reasons. Throws only transient errors
 * (time, throttling, network). Some CDRs may be stored by then: they are duplicates at the next attempt.
 */
export async function mediate(
  mediation: Mediation,
  documents: Iterable<CdrDocument>,
  noteSuspended: (refused: readonly Refused[]) => void = () => {},
): Promise<MediationReport> {
  const report = { ...NOTHING_MEDIATED }
  for (const parts of slices(partsOf(mediation, documents), PARTS_AT_ONCE)) {
    const [outcomes, entries] = await Promise.all([
      mediateParts(mediation, parts),
      entriesOf(mediation, parts),
    ])
    for (const outcome of outcomes.values()) report[typeof outcome === 'object' ? 'suspended' : outcome] += 1
    // Suspended first, removed after: a failure in between leaves an entry too many, never one too few.
    const refused = refusedIn(outcomes)
    await suspendParts(mediation, refused)
    noteSuspended(refused)
    await removeStored(mediation, outcomes, entries)
  }
  return report
}

/** The parts of documents, in order. A large document is parsed piece by piece. */
export function* partsOf({ settings, order }: Mediation, documents: Iterable<CdrDocument>): Generator<Part> {
  let position = 0
  for (const document of documents) {
    const inZone = { ...document, zone: document.zone || settings.Timezone }
    for (const piece of cutDocument(inZone, MAX_SUSPENDED_BYTES)) {
      for (const { found, text } of parse(piece)) {
        yield { document: piece, found, text, order: suspenseKeys.orderAt(order, position) }
        position += 1
      }
    }
  }
}

/** With more CDRs than this, one read tells first whether suspense has any entry: that saves a read for each CDR. */
const MIN_PARTS_TO_PROBE = 10

/** The entries of suspense that CDRs and dialog events have from an earlier document. */
async function entriesOf({ store }: Mediation, parts: readonly Part[]): Promise<SuspendedCdr[]> {
  const identified = parts.filter(hasIdentity)
  if (identified.length > MIN_PARTS_TO_PROBE && !(await hasSuspended(store))) return []
  return listSuspendedAmong(store, identified.map(entryIdOf), 'eventual')
}

const hasIdentity = ({ found: { kind } }: Part): boolean => kind === 'cdr' || kind === 'dialog_event'

/** Mediates parts and returns the outcome of each. The caller suspends those with a problem. */
export async function mediateParts(
  mediation: Mediation,
  parts: readonly Part[],
): Promise<Map<Part, MediationOutcome>> {
  const outcomes = new Map<Part, MediationOutcome>()
  for (const some of slices(parts, PARTS_AT_ONCE)) {
    for (const [part, outcome] of await mediateSome(mediation, some)) outcomes.set(part, outcome)
  }
  return outcomes
}

/** A part whose content makes mediation fail is found by halving. It is suspended alone and delays no other part. */
async function mediateSome(
  mediation: Mediation,
  parts: readonly Part[],
): Promise<Map<Part, MediationOutcome>> {
  try {
    return await mediateTogether(mediation, parts)
  } catch (error) {
    const [only, ...others] = parts
    if (isTransient(error) || !only) throw error
    if (others.length === 0) return new Map([[only, { reason: 'unreadable', detail: String(error) }]])
    const middle = Math.ceil(parts.length / 2)
    const first = await mediateSome(mediation, parts.slice(0, middle))
    return new Map([...first, ...(await mediateSome(mediation, parts.slice(middle)))])
  }
}

async function mediateTogether(
  mediation: Mediation,
  parts: readonly Part[],
): Promise<Map<Part, MediationOutcome>> {
  const outcomes = new Map<Part, MediationOutcome>(parts.map((part) => [part, unstored(part.found)]))
  const note = (some: Iterable<readonly [Part, MediationOutcome]>) => {
    for (const [part, outcome] of some) outcomes.set(part, outcome)
  }
  note(await storeParts(mediation, parts.filter(isOf('cdr'))))
  note(await correlate(mediation, parts.filter(isOf('dialog_event'))))
  note(await trackCalls(mediation, parts.filter(isOf('live_event'))))
  return outcomes
}

async function storeParts(
  mediation: Mediation,
  parts: readonly PartOf<'cdr'>[],
): Promise<[Part, MediationOutcome][]> {
  const cdrs = parts.map((part) => ({ part, source: part.document.source, cdr: part.found.cdr }))
  const stored = await storeCdrs(mediation, cdrs)
  return [...stored].map(([{ part }, outcome]) => [part, outcome])
}

const isOf =
  <K extends Found['kind']>(kind: K) =>
  (part: Part): part is PartOf<K> =>
    part.found.kind === kind

const unstored = (found: Found): MediationOutcome =>
  found.kind === 'problem' ? { reason: found.reason, detail: found.detail } : 'skipped'

export const refusedIn = (outcomes: ReadonlyMap<Part, MediationOutcome>): Refused[] =>
  [...outcomes].flatMap(([part, problem]) => (typeof problem === 'object' ? [{ part, problem }] : []))

/** Removes the entries of CDRs that are no longer suspended. */
async function removeStored(
  { store }: Mediation,
  outcomes: ReadonlyMap<Part, MediationOutcome>,
  entries: readonly SuspendedCdr[],
): Promise<void> {
  const suspended = new Set([...outcomes].filter(isSuspended).map(([part]) => entryIdOf(part)))
  await removeSuspended(
    store,
    entries.filter(({ id }) => !suspended.has(id)),
  )
}

export const isSuspended = ([, outcome]: readonly [Part, MediationOutcome]): boolean =>
  typeof outcome === 'object' || outcome === 'suspended'
