import { slices } from '#lib/domain/collections.ts'
import {
  hasSuspended,
  listSuspendedAmong,
  removeSuspended,
  type SuspendedCdr,
} from '#lib/store/calls/suspense.ts'
import { isTransient } from '#lib/store/requests/retries.ts'
import { correlate } from './correlate.ts'
import type { CdrDocument, Found } from './formats/cdr.ts'
import { trackCalls } from './live-events.ts'
import type { Mediation, Outcome, Part, PartOf } from './mediation.ts'
import { cutDocument, parse } from './parse.ts'
import { storeCdrs } from './store-cdrs.ts'
import { entryIdOf, LARGEST_SUSPENDED, type Refused, suspendParts } from './suspend.ts'

/** How many CDRs came to what. */
export interface MediationReport {
  stored: number
  duplicate: number
  corrected: number
  /** Dialog events without their counterpart. */
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
 * Mediates documents of switches: each CDR is stored as a call of its customer, rated, or else suspended with its reason.
 * The same documents again change nothing. Throws only what a retry can cure (time, throttling, network): then some CDRs
 * may be stored, and are duplicates at the next attempt.
 */
export async function mediate(
  mediation: Mediation,
  documents: Iterable<CdrDocument>,
): Promise<MediationReport> {
  const report = { ...NOTHING_MEDIATED }
  for (const parts of slices(partsOf(mediation, documents), PARTS_AT_ONCE)) {
    const [outcomes, entries] = await Promise.all([
      mediateParts(mediation, parts),
      entriesOf(mediation, parts),
    ])
    for (const outcome of outcomes.values()) report[typeof outcome === 'object' ? 'suspended' : outcome] += 1
    await suspendParts(mediation, refusedIn(outcomes))
    if (entries.length > 0) await removeSettled(mediation, outcomes, entries)
  }
  return report
}

/** The parts of documents, read one document after the other. A large document is read in pieces. */
export function* partsOf({ settings }: Mediation, documents: Iterable<CdrDocument>): Generator<Part> {
  let order = 0
  for (const document of documents) {
    const inZone = { ...document, zone: document.zone || settings.Timezone }
    for (const piece of cutDocument(inZone, LARGEST_SUSPENDED)) {
      for (const { found, text } of parse(piece)) {
        yield { document: piece, found, text, order }
        order += 1
      }
    }
  }
}

/** So many CDRs are worth the question whether there is any entry at all. */
const WORTH_ASKING = 10

/** The entries that CDRs and dialog events have in suspense from an earlier delivery. */
async function entriesOf({ store }: Mediation, parts: readonly Part[]): Promise<SuspendedCdr[]> {
  const identified = parts.filter(hasIdentity)
  if (identified.length > WORTH_ASKING && !(await hasSuspended(store))) return []
  return listSuspendedAmong(store, identified.map(entryIdOf))
}

const hasIdentity = ({ found: { kind } }: Part): boolean => kind === 'cdr' || kind === 'dialog_event'

/** Mediates parts and returns the outcome of each. The caller suspends those with a problem. */
export async function mediateParts(
  mediation: Mediation,
  parts: readonly Part[],
): Promise<Map<Part, Outcome>> {
  const outcomes = new Map<Part, Outcome>()
  for (const some of slices(parts, PARTS_AT_ONCE)) {
    for (const [part, outcome] of await mediateSome(mediation, some)) outcomes.set(part, outcome)
  }
  return outcomes
}

/** A part that fails because of what it says is found by halving, so that it delays no other. */
async function mediateSome(mediation: Mediation, parts: readonly Part[]): Promise<Map<Part, Outcome>> {
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

async function mediateTogether(mediation: Mediation, parts: readonly Part[]): Promise<Map<Part, Outcome>> {
  const outcomes = new Map<Part, Outcome>(parts.map((part) => [part, unstored(part.found)]))
  const note = (settled: Iterable<readonly [Part, Outcome]>) => {
    for (const [part, outcome] of settled) outcomes.set(part, outcome)
  }
  const [cdrs, events, live] = [
    parts.filter(isOf('cdr')),
    parts.filter(isOf('dialog_event')),
    parts.filter(isOf('live_event')),
  ]
  if (cdrs.length > 0) note(await storeParts(mediation, cdrs))
  if (events.length > 0) note(await correlate(mediation, events))
  if (live.length > 0) note(await trackCalls(mediation, live))
  return outcomes
}

async function storeParts(mediation: Mediation, parts: readonly PartOf<'cdr'>[]): Promise<[Part, Outcome][]> {
  const cdrs = parts.map((part) => ({ part, source: part.document.source, cdr: part.found.cdr }))
  const stored = await storeCdrs(mediation, cdrs)
  return [...stored].map(([{ part }, outcome]) => [part, outcome])
}

const isOf =
  <K extends Found['kind']>(kind: K) =>
  (part: Part): part is PartOf<K> =>
    part.found.kind === kind

const unstored = (found: Found): Outcome =>
  found.kind === 'problem' ? { reason: found.reason, detail: found.detail } : 'skipped'

export const refusedIn = (outcomes: ReadonlyMap<Part, Outcome>): Refused[] =>
  [...outcomes].flatMap(([part, problem]) => (typeof problem === 'object' ? [{ part, problem }] : []))

/** A CDR that was suspended earlier and has its place now leaves suspense. */
async function removeSettled(
  { store }: Mediation,
  outcomes: ReadonlyMap<Part, Outcome>,
  entries: readonly SuspendedCdr[],
): Promise<void> {
  const suspended = new Set([...outcomes].filter(isSuspended).map(([part]) => entryIdOf(part)))
  await removeSuspended(
    store,
    entries.filter(({ id }) => !suspended.has(id)),
  )
}

export const isSuspended = ([, outcome]: readonly [Part, Outcome]): boolean =>
  typeof outcome === 'object' || outcome === 'suspended'
