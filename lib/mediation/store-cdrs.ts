import { DAY_SECONDS, HOUR_SECONDS, type Seconds } from '#lib/domain/calendar.ts'
import { groupBy } from '#lib/domain/collections.ts'
import { isKnownDisposition } from '#lib/mediation/formats/call-result.ts'
import type { Cdr, Problem } from '#lib/mediation/formats/cdr.ts'
import { changeAllCalls, type SeenCall } from '#lib/rating/change-calls.ts'
import { openRateBook } from '#lib/rating/rate-book.ts'
import { BLANK_CALL, findCalls, identityName } from '#lib/store/calls/call.ts'
import {
  type CdrVersion,
  decideCdrs,
  OTHER_CALL,
  openVersions,
  type SourcedCdr,
  type UnresolvedVersion,
  withColumns,
} from './decide-cdrs.ts'
import { asStoredLinkedCalls, findRepeats, isLinked, noteLinked, takeBackLinkedCalls } from './linked-cdrs.ts'
import {
  contentDigest,
  identityOf,
  type Mediation,
  type MediationOutcome,
  storableNumber,
  storablePart,
} from './mediation.ts'
import { refusePossibleDuplicates } from './possible-duplicates.ts'
import { resolveRows } from './resolve.ts'
import { asCallsToPhones, findTransferred, mayBeTransferred } from './transferred-calls.ts'

/**
 * Stores each CDR once, as a rated call of its customer (wire.md 7.4). The stored call decides first: a duplicate stays a
 * duplicate even if its account would resolve to another customer today. Throws a transient error for a call that other
 * writers kept changing.
 */
export async function storeCdrs(
  mediation: Mediation,
  cdrs: readonly SourcedCdr[],
): Promise<Map<SourcedCdr, MediationOutcome>> {
  const checked = cdrs.map((sourced) => ({ sourced, problem: implausible(sourced.cdr, mediation) }))
  const refused = checked.flatMap(({ sourced, problem }) => (problem ? [[sourced, problem] as const] : []))
  const possible = checked.flatMap(({ sourced, problem }) => (problem ? [] : [unresolvedVersion(sourced)]))
  const plausible = await resolveRows(mediation, await asCallsToPhones(mediation, possible))
  const duplicates = await refusePossibleDuplicates(mediation, plausible)
  const open = plausible.filter(({ sourced }) => !duplicates.has(sourced))
  const plain = open.filter((version) => !mayBeTransferred(version))
  const stored = await storePlain(mediation, plain)
  const transferred = await storeTransferred(mediation, open.filter(mayBeTransferred), plain)
  const outcomes = new Map([...refused, ...duplicates, ...stored, ...transferred])
  const crossed = await refusePossibleDuplicates(mediation, storedAmong(open, outcomes))
  return new Map([...outcomes, ...crossed])
}

type Outcomes = ReadonlyMap<SourcedCdr, MediationOutcome>

/** Another consumer may have stored the same calls meanwhile: what is stored is compared once more (take-back.ts). */
const storedAmong = (versions: readonly CdrVersion[], outcomes: Outcomes): CdrVersion[] =>
  versions.filter(({ sourced }) => IS_STORED.has(outcomes.get(sourced)))

const IS_STORED: ReadonlySet<MediationOutcome | undefined> = new Set(['stored', 'corrected', 'duplicate'])

async function storePlain(
  mediation: Mediation,
  versions: readonly CdrVersion[],
): Promise<Map<SourcedCdr, MediationOutcome>> {
  const ofFirstChannels = versions.filter((version) => !isLinked(version))
  const stored = await storeEach(mediation, await asStoredLinkedCalls(mediation, ofFirstChannels))
  await takeBackLinkedCalls(mediation, storedAmong(ofFirstChannels, stored))
  return new Map([...stored, ...(await storeLinked(mediation, versions.filter(isLinked)))])
}

/** CDRs of transfers come last: they may continue calls that come together with them. */
async function storeTransferred(
  mediation: Mediation,
  versions: readonly CdrVersion[],
  together: readonly CdrVersion[],
): Promise<Map<SourcedCdr, MediationOutcome>> {
  if (versions.length === 0) return new Map()
  const { continued, refused, others } = await findTransferred(mediation, versions, together)
  const stored = await storePlain(mediation, others)
  return new Map<SourcedCdr, MediationOutcome>([
    ...refused,
    ...stored,
    ...(await storeEach(mediation, continued)),
  ])
}

/** Linked CDRs come last: those that repeat a call are skipped. */
async function storeLinked(
  mediation: Mediation,
  linked: readonly CdrVersion[],
): Promise<Map<SourcedCdr, MediationOutcome>> {
  if (linked.length === 0) return new Map()
  const repeats = await findRepeats(mediation, linked)
  const others = linked.filter(({ sourced }) => !repeats.has(sourced))
  await noteLinked(mediation, others)
  const stored = await storeEach(mediation, others)
  const crossed = await findRepeats(mediation, storedAmong(others, stored))
  const skipped = [...repeats, ...crossed].map((sourced) => [sourced, 'skipped'] as const)
  return new Map<SourcedCdr, MediationOutcome>([...stored, ...skipped])
}

/** Stores CDRs as calls. Several calls of one channel are stored one after the other. */
async function storeEach(
  mediation: Mediation,
  versions: readonly CdrVersion[],
): Promise<Map<SourcedCdr, MediationOutcome>> {
  const first = await storeVersions(mediation, versions)
  const others = versions.filter(
    ({ sourced }) => sourced.idNames === 'channel' && first.get(sourced) === OTHER_CALL,
  )
  return new Map([...first, ...(await storeVersions(mediation, others.map(asCallOfItsOwn)))])
}

/** A channel that was transferred makes a call behind each other. The later ones are told apart by start and numbers. */
function asCallOfItsOwn(version: CdrVersion): CdrVersion {
  const { calldate, src, dst } = version.row
  return withColumns(version, { source_part: storablePart(`${calldate} ${src} ${dst}`) })
}

async function storeVersions(
  mediation: Mediation,
  versions: readonly CdrVersion[],
): Promise<Map<SourcedCdr, MediationOutcome>> {
  const { store, settings } = mediation
  const calls = await seenCalls(mediation, versions)
  const decided = await changeAllCalls(mediation, calls, async (seen) => {
    const rows = seen.flatMap(openVersions).map(({ resolved }) => resolved)
    const book = await openRateBook(store, rows, settings)
    return (call) => decideCdrs(book, call)
  })
  const stored = [...decided.values()].flatMap(({ outcomes }) => [...outcomes])
  return new Map(stored.map(([{ sourced }, outcome]) => [sourced, outcome]))
}

function unresolvedVersion(sourced: SourcedCdr): UnresolvedVersion {
  const { source, cdr } = sourced
  const content = contentDigest(cdr)
  const { start, disposition, duration, billsec, hangupcause } = cdr
  const [src, dst] = [storableNumber(cdr.src), storableNumber(cdr.dst)]
  const columns = { calldate: start, src, dst, disposition, duration, billsec, hangupcause }
  return {
    sourced,
    content,
    row: { ...BLANK_CALL, user_id: 0, ...identityOf(source, cdr, content), ...columns },
  }
}

/** The calls of these versions. */
async function seenCalls(
  { store }: Mediation,
  versions: readonly CdrVersion[],
): Promise<SeenCall<readonly CdrVersion[]>[]> {
  const groups = groupBy(versions, ({ row }) => identityName(row)).values()
  const calls = [...groups].flatMap((came) => (came[0] ? [{ identity: came[0].row, came }] : []))
  const found = await findCalls(
    store,
    calls.map(({ identity }) => identity),
  )
  return calls.map((call, index) => ({ ...call, before: found[index] }))
}

const YEAR_2000 = Date.UTC(2000, 0) / 1000

const ANSWERED = 'ANSWERED'

/** The reason why no call can have these times, lengths and disposition; `undefined` for a plausible CDR. */
export function implausible(
  cdr: Cdr,
  { now, settings }: Pick<Mediation, 'now' | 'settings'>,
): Problem | undefined {
  return impossibleTime(cdr, now) ?? tooLong(cdr, settings) ?? impossibleBilling(cdr)
}

/** A switch reports a call when it has ended. Its clock, or its zone, may be a day ahead. */
function impossibleTime({ start, duration }: Cdr, now: Seconds): Problem | undefined {
  if (start < YEAR_2000) return { reason: 'impossible_time', detail: 'it begins before the year 2000' }
  const last = now + DAY_SECONDS
  if (start + duration <= last) return undefined
  const verb = start > last ? 'begins' : 'ends'
  return { reason: 'impossible_time', detail: `it ${verb} more than a day from now` }
}

function tooLong({ duration }: Cdr, { Max_Call_Hours = 0 }: Mediation['settings']): Problem | undefined {
  if (Max_Call_Hours === 0 || duration <= Max_Call_Hours * HOUR_SECONDS) return undefined
  return {
    reason: 'too_long',
    detail: `${duration} seconds are more than Max_Call_Hours (${Max_Call_Hours})`,
  }
}

function impossibleBilling({ duration, billsec, disposition }: Cdr): Problem | undefined {
  if (billsec > duration) {
    return { reason: 'billed_exceeds_duration', detail: `${billsec} of ${duration} seconds are billed` }
  }
  if (billsec === 0 || disposition === ANSWERED) return undefined
  const reason = isKnownDisposition(disposition) ? 'not_answered_but_billed' : 'unknown_disposition'
  return { reason, detail: `${billsec} seconds are billed of a call that is ${JSON.stringify(disposition)}` }
}
