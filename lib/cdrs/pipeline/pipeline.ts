import pMap from 'p-map'
import { slices } from '#lib/base/collections.ts'
import { changeCalls, seenCalls } from '#lib/calls/rating/change-calls.ts'
import { invoiceCheck, MAX_PARALLEL_RATINGS, openRateBook } from '#lib/calls/rating/rate-book.ts'
import type { Holds } from '#lib/control/holds.ts'
import {
  type EndedCall,
  endedBeforeHold,
  endedCallsOf,
  heldAtOf,
  type SeenHolds,
  seeHolds,
  settle,
} from '#lib/control/settle.ts'
import { createSwitchClocks } from '#lib/settings/switch-clock.ts'
import { isolatingPoison } from '#lib/table/requests/retries.ts'
import { type CdrCall, type CdrDecision, decideCdrs, OTHER_CALL, openVersions } from '../decide-cdrs.ts'
import { openDialogs, outcomesOfEvents } from '../dialogs/correlate.ts'
import { cdrsOfDialogs } from '../dialogs/decide-dialogs.ts'
import { type Cdr, type Found, implausible } from '../formats/cdr.ts'
import type { CdrDocument } from '../formats/formats.ts'
import { cutDocument, parse } from '../formats/parse.ts'
import { trackCalls } from '../live-events.ts'
import { findHalfLines, settleHalfLines, withoutSettledHalves } from '../matching/half-lines.ts'
import {
  asStoredLinkedCalls,
  findRepeats,
  isLinked,
  noteLinked,
  takeBackLinkedCalls,
} from '../matching/linked-cdrs.ts'
import { joinLoopbacks, settleLegs } from '../matching/loopback.ts'
import { refusePossibleDuplicates } from '../matching/possible-duplicates.ts'
import { asCallsToPhones, findTransferred } from '../matching/transferred-calls.ts'
import {
  type CdrOutcomes,
  type CdrVersion,
  isAnswered,
  isStoredOutcome,
  type MediationContext,
  type MediationOutcome,
  newVersion,
  orderAt,
  type Part,
  type PartOf,
  type PartOutcome,
  type Refused,
  refusedIn,
  storablePart,
  withColumns,
} from '../mediation.ts'
import { resolveRows } from '../resolve.ts'
import { MAX_SUSPENDED_BYTES, notifySuspended, suspendParts } from '../suspense/suspend.ts'
import { entriesOfParts, removeStored } from '../suspense/suspense.ts'

// The way of CDRs from a document to stored calls:
//
// 1. Parse. A document is cut into CDRs, dialog events and live events, in order. Dialog events are
//    correlated into CDRs, and the legs of a call through a loopback are joined into one.
// 2. Resolve. An implausible CDR is refused. The others get their customer and their carrier. A call to a
//    phone gets the phone as its number before that, because the number may name the customer.
// 3. Match. CDRs of one identity are versions of a call; the rules of matching/ find those of one call under
//    several. A CDR that repeats a call under another kind of identity is refused first: it must correct
//    nothing. The rest is compared with stored calls in three groups, each after the writes of the group
//    before: first channels, linked CDRs, which may repeat them, and rests of transferred calls.
// 4. Decide, once for the CDRs of one identity. The stored call comes first: a duplicate stays a duplicate
//    even if its account would resolve to another customer today. Then rating says which version to store.
// 5. Write. A transaction stores the call, its lists and counters. A call changed meanwhile is decided again.
// 6. Look again. Another consumer may have stored the call under another identity meanwhile. The consumer
//    that looks last sees both calls, and takes one of them back (matching/take-back.ts).
// 7. Settle. The money that call control holds for an answered call is released only after the charge.
//
// What cannot be stored is suspended before its earlier entries are removed: a failure leaves an extra one.

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
 * Mediates the parts of CDR documents: each CDR becomes a rated call of its customer, or is suspended with a
 * reason. Repeated parts change nothing. `noteSuspended` receives the suspended CDRs with their reasons.
 * Throws only transient errors (time, throttling, network): CDRs stored by then are duplicates next time.
 */
export async function mediate(
  mediation: MediationContext,
  parts: Iterable<Part>,
  noteSuspended: (refused: readonly Refused[]) => void = () => {},
): Promise<MediationReport> {
  const report: MediationReport = { ...NOTHING_MEDIATED }
  for (const some of slices(parts, PARTS_AT_ONCE)) {
    const [outcomes, entries] = await Promise.all([
      mediateParts(mediation, some),
      entriesOfParts(mediation, some),
    ])
    const refused = refusedIn(outcomes)
    if (refused.length > 0) {
      await suspendParts(mediation, refused)
      await notifySuspended(mediation, refused)
    }
    await removeStored(mediation, outcomes, entries)
    for (const [, outcome] of outcomes) report[typeof outcome === 'object' ? 'suspended' : outcome] += 1
    noteSuspended(refused)
  }
  return report
}

/** The parts of documents, in order. A large document is parsed piece by piece. */
export function* partsOf(
  { settings, order }: MediationContext,
  documents: Iterable<CdrDocument>,
): Generator<Part> {
  let index = 0
  for (const document of documents) {
    const inZone = { ...document, zone: document.zone || settings.Timezone }
    for (const piece of cutDocument(inZone, MAX_SUSPENDED_BYTES)) {
      for (const parsed of parse(piece)) {
        yield { document: piece, ...parsed, order: orderAt(order, index) }
        index += 1
      }
    }
  }
}

/**
 * Mediates parts and returns the outcome of each. The caller suspends those with a problem. A part whose
 * content makes mediation fail is one of them.
 */
export const mediateParts = (
  mediation: MediationContext,
  parts: readonly Part[],
): Promise<readonly PartOutcome[]> =>
  isolatingPoison<Part, PartOutcome>(
    parts,
    (some) => mediateTogether(mediation, some),
    (part, error) => [part, { reason: 'unreadable', detail: String(error) }],
  )

async function mediateTogether(context: MediationContext, parts: readonly Part[]): Promise<PartOutcome[]> {
  const mediation = { ...context, switchItems: new Map() }
  const [cdrs, events, live] = [
    parts.filter(isOf('cdr', 'leg')),
    parts.filter(isOf('dialog_event')),
    parts.filter(isOf('live_event')),
  ]
  const dialogs = events.length > 0 ? await openDialogs(mediation, events) : undefined
  const made = dialogs ? cdrsOfDialogs(dialogs.dialogs) : []
  const halves = await findHalfLines(mediation, cdrs)
  const { open: versions, outcomes: known } = await withoutSettledHalves(
    mediation,
    cdrs.map(versionOfPart),
    halves,
  )
  const legs = versions.some(({ cdr }) => cdr.loopback) ? await joinLoopbacks(mediation, versions) : undefined
  const stored = await storeCdrs(mediation, [...(legs?.versions ?? versions), ...made])
  const outcomesOfLegs = legs ? await settleLegs(mediation, legs, stored) : stored
  const decided = new Map([...outcomesOfLegs, ...known])
  const ofCdrs = await settleHalfLines(mediation, cdrs, versions, { halves, outcomes: decided })
  const outcomes = new Map<Part, MediationOutcome | undefined>([
    ...cdrs.map((part) => [part, ofCdrs.get(part.found.cdr)] as const),
    ...(dialogs ? await outcomesOfEvents(mediation, dialogs, stored) : []),
    ...(live.length > 0 ? await trackCalls(mediation, live) : []),
  ])
  return parts.map((part) => [part, outcomes.get(part) ?? unstored(part.found)])
}

function versionOfPart({
  document: { source, format },
  found: { cdr },
  order,
  isRetried = false,
}: PartOf<'cdr' | 'leg'>) {
  const isOfAsterisk = format.startsWith('asterisk')
  const idNames = isOfAsterisk && cdr.part === '' ? 'channel' : 'call'
  const hasIdentityKind = isOfAsterisk || format === 'csv' || format === 'json'
  return newVersion({ source, cdr, idNames, hasIdentityKind, isRetried, arrival: order })
}

const isOf =
  <K extends Found['kind']>(...kinds: readonly K[]) =>
  (part: Part): part is PartOf<K> =>
    kinds.some((kind) => part.found.kind === kind)

const unstored = (found: Found): MediationOutcome =>
  found.kind === 'problem' ? { reason: found.reason, detail: found.detail } : 'skipped'

/**
 * Stores each CDR once, as a rated call of its customer (wire.md 7.4). Returns the outcome of each CDR.
 * Throws a transient error for a call that other writers kept changing.
 */
export async function storeCdrs(
  mediation: MediationContext,
  versions: readonly CdrVersion[],
): Promise<CdrOutcomes> {
  const resolved = await resolve(mediation, versions)
  const identified = await refusePossibleDuplicates(mediation, resolved.open)
  const { continued, unknown, others } = await findTransferred(mediation, identified.open)
  const outcomes = new Map<Cdr, MediationOutcome>([...resolved.outcomes, ...identified.outcomes, ...unknown])
  const ended: Ended = { calls: [], holds: new Map() }
  const write = async (open: readonly CdrVersion[]) => {
    if (open.length === 0) return []
    for (const [cdr, outcome] of await decideAndWrite(mediation, open, ended)) outcomes.set(cdr, outcome)
    return storedAmong(open, outcomes)
  }
  const withoutRepeats = async (linked: readonly CdrVersion[]) => {
    const repeats = await findRepeats(mediation, linked)
    for (const cdr of repeats) outcomes.set(cdr, 'skipped')
    return linked.filter(({ cdr }) => !repeats.has(cdr))
  }

  const first = others.filter((version) => !isLinked(version))
  await takeBackLinkedCalls(mediation, await write(await asStoredLinkedCalls(mediation, first)))
  const linked = await withoutRepeats(others.filter(isLinked))
  if (linked.length > 0) await noteLinked(mediation, linked)
  await withoutRepeats(await write(linked))
  await write(continued)

  const written = new Set([...outcomes].flatMap(([cdr, outcome]) => (outcome === 'stored' ? [cdr] : [])))
  const again = await refusePossibleDuplicates(mediation, storedAmong(identified.open, outcomes), written)
  for (const [cdr, outcome] of again.outcomes) outcomes.set(cdr, outcome)
  if (ended.calls.length > 0) await settle(mediation, ended.calls, ended.holds)
  return outcomes
}

const storedAmong = (versions: readonly CdrVersion[], outcomes: CdrOutcomes): CdrVersion[] =>
  versions.filter(({ cdr }) => isStoredOutcome(outcomes.get(cdr)))

/** The plausible CDRs with customer and carrier, and the problems of the others. */
async function resolve(mediation: MediationContext, versions: readonly CdrVersion[]) {
  const problems = versions.map(({ cdr }) => [cdr, implausible(cdr, mediation)] as const)
  const outcomes = new Map(problems.flatMap(([cdr, problem]) => (problem ? [[cdr, problem] as const] : [])))
  const plausible = versions.filter(({ cdr }) => !outcomes.has(cdr))
  return { open: await resolveRows(mediation, await asCallsToPhones(mediation, plausible)), outcomes }
}

/** Calls whose holds are to be released, and the holds of their payers. */
interface Ended {
  readonly calls: EndedCall[]
  readonly holds: Map<number, Holds>
}

/**
 * Stores CDRs as calls, and adds those whose holds are to be released to `ended`. A channel that was
 * transferred makes several calls, which are stored one after the other.
 */
async function decideAndWrite(
  mediation: MediationContext,
  versions: readonly CdrVersion[],
  ended: Ended,
): Promise<CdrOutcomes> {
  const calls = await seenCalls(mediation.store, versions)
  const decided = await changeCalls(mediation, calls, (open) => decide(mediation, open))
  const outcomes = new Map(
    [...decided.values()].flatMap((decision) =>
      Array.from(decision.outcomes, ([{ cdr }, outcome]) => [cdr, outcome] as const),
    ),
  )
  for (const decision of decided.values()) {
    ended.calls.push(...decision.ended)
    for (const [id, holds] of decision.seen) ended.holds.set(id, holds)
  }
  const others = versions.filter(({ cdr }) => outcomes.get(cdr) === OTHER_CALL)
  const ofSharedChannels = others.flatMap((version) => asCallOfItsOwn(version) ?? [])
  if (ofSharedChannels.length === 0) return outcomes
  return new Map([...outcomes, ...(await decideAndWrite(mediation, ofSharedChannels, ended))])
}

/** The times of CDRs alone say less, and take nothing of this back. */
const noteClockOfHolds = createSwitchClocks()

/** The decisions, each with the calls whose holds it ends. */
async function decide({ store, settings, now }: MediationContext, calls: readonly CdrCall[]) {
  const rows = calls.flatMap(openVersions).map(({ resolved }) => resolved)
  const isInvoiced = invoiceCheck(store, settings)
  const book = { ...(await openRateBook(store, rows, settings)), isInvoiced }
  const decideOne = async (call: CdrCall) => {
    const decision = await decideCdrs(book, call)
    const stored = decision.change?.after ?? call.before
    const mayHoldMoney = settings.Call_Control && [...decision.outcomes.values()].some(isStoredOutcome)
    const isEnded = mayHoldMoney && stored && isAnswered(stored)
    return { ...decision, ended: isEnded ? await endedCallsOf(book, stored) : [] }
  }
  const decisions = await pMap(calls, decideOne, { concurrency: MAX_PARALLEL_RATINGS })
  const seen = await seeHolds(
    store,
    decisions.flatMap(({ ended }) => ended),
  )
  return pMap(decisions, async (decision) => {
    const noting = notingHolds(settings, decision, seen)
    const behind = endedBeforeHold(noting.ended, seen)
    const source = noting.change?.after.source
    if (source && behind !== undefined) await noteClockOfHolds(store, source, behind, now)
    return { ...noting, seen }
  })
}

/** A call that is charged now notes its holds. A call that was charged before keeps its note. */
function notingHolds<D extends CdrDecision & { readonly ended: readonly EndedCall[] }>(
  settings: MediationContext['settings'],
  decision: D,
  seen: SeenHolds,
): D {
  const { change, ended } = decision
  if (!change || ended.length === 0 || (change.before && isAnswered(change.before))) return decision
  const heldAt = heldAtOf(settings, ended, seen)
  return {
    ...decision,
    change: { ...change, after: { ...change.after, held_at: heldAt } },
    ended: ended.map((call) => ({ ...call, heldAt })),
  }
}

/** Start and numbers tell a channel's later calls apart; `undefined` if this version has them already. */
function asCallOfItsOwn(version: CdrVersion): CdrVersion | undefined {
  const { calldate, src, dst, source_part } = version.row
  const own = storablePart(`${calldate} ${src} ${dst}`)
  if (version.idNames !== 'channel' || source_part === own) return undefined
  return withColumns(version, { source_part: own })
}
