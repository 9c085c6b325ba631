import { DAY_SECONDS, HOUR_SECONDS, type Seconds } from '#lib/base/calendar.ts'
import { memoize } from '#lib/base/collections.ts'
import { BLANK_CALL } from '#lib/calls/call.ts'
import { changeCalls, type SeenCall, seenCalls } from '#lib/calls/rating/change-calls.ts'
import { openRateBook } from '#lib/calls/rating/rate-book.ts'
import {
  type CdrVersion,
  decideCdrs,
  OTHER_CALL,
  openVersions,
  type SourcedCdr,
  type UnresolvedVersion,
  withColumns,
} from './decide-cdrs.ts'
import { isKnownDisposition } from './formats/call-result.ts'
import type { Cdr, Problem } from './formats/cdr.ts'
import {
  asStoredLinkedCalls,
  findRepeats,
  isLinked,
  noteLinked,
  takeBackLinkedCalls,
} from './matching/linked-cdrs.ts'
import { refusePossibleDuplicates } from './matching/possible-duplicates.ts'
import { asCallsToPhones, findTransferred } from './matching/transferred-calls.ts'
import {
  contentDigest,
  identityOf,
  isStoredOutcome,
  type Mediation,
  type MediationOutcome,
  storableNumber,
  storablePart,
} from './mediation.ts'
import { resolveRows } from './resolve.ts'

/**
 * Stores each CDR once, as a rated call of its customer (wire.md 7.4). The stored call decides first: a duplicate stays a
 * duplicate even if its account would resolve to another customer today. Throws a transient error for a call that other
 * writers kept changing.
 */
export async function storeCdrs(
  mediation: Mediation,
  cdrs: readonly SourcedCdr[],
): Promise<ReadonlyMap<SourcedCdr, MediationOutcome>> {
  const { refused, open } = await openCdrs(mediation, cdrs)
  const { continued, unknown, others } = await findTransferred(mediation, open)
  const ofFirstChannels = others.filter((version) => !isLinked(version))
  const stored = await storeVersions(mediation, await asStoredLinkedCalls(mediation, ofFirstChannels))
  await takeBackLinkedCalls(mediation, storedAmong(ofFirstChannels, stored))
  const linked = await storeLinked(mediation, others.filter(isLinked))
  const outcomes = [...refused, ...unknown, ...stored, ...linked]
  outcomes.push(...(await storeVersions(mediation, continued)))
  const crossed = await refusePossibleDuplicates(mediation, storedAmong(open, new Map(outcomes)))
  return new Map([...outcomes, ...crossed])
}

type Outcomes = ReadonlyMap<SourcedCdr, MediationOutcome>

type CdrOutcome = readonly [SourcedCdr, MediationOutcome]

/** The CDRs that may be stored, with customer and provider, and the outcomes of the others. */
async function openCdrs(mediation: Mediation, cdrs: readonly SourcedCdr[]) {
  const checked = cdrs.map((sourced) => ({ sourced, problem: implausible(sourced.cdr, mediation) }))
  const refused = checked.flatMap(({ sourced, problem }) => (problem ? [[sourced, problem] as const] : []))
  const possible = checked.flatMap(({ sourced, problem }) => (problem ? [] : [unresolvedVersion(sourced)]))
  const plausible = await resolveRows(mediation, await asCallsToPhones(mediation, possible))
  const duplicates = await refusePossibleDuplicates(mediation, plausible)
  const outcomes: readonly CdrOutcome[] = [...refused, ...duplicates]
  return { refused: outcomes, open: plausible.filter(({ sourced }) => !duplicates.has(sourced)) }
}

/** Another consumer may have stored the same calls meanwhile: what is stored is compared once more (take-back.ts). */
const storedAmong = (versions: readonly CdrVersion[], outcomes: Outcomes): CdrVersion[] =>
  versions.filter(({ sourced }) => isStoredOutcome(outcomes.get(sourced)))

/** Linked CDRs come behind those of first channels: they are skipped if they repeat a call. */
async function storeLinked(mediation: Mediation, linked: readonly CdrVersion[]): Promise<Outcomes> {
  if (linked.length === 0) return new Map()
  const repeats = await findRepeats(mediation, linked)
  const others = linked.filter(({ sourced }) => !repeats.has(sourced))
  await noteLinked(mediation, others)
  const stored = await storeVersions(mediation, others)
  const crossed = await findRepeats(mediation, storedAmong(others, stored))
  const skipped = [...repeats, ...crossed].map((sourced) => [sourced, 'skipped'] as const)
  return new Map<SourcedCdr, MediationOutcome>([...stored, ...skipped])
}

/** Stores CDRs as calls. A channel that was transferred makes several calls, which are stored one behind the other. */
async function storeVersions(mediation: Mediation, versions: readonly CdrVersion[]): Promise<Outcomes> {
  const { store, settings } = mediation
  const calls = await seenCalls(store, versions)
  const bookOf = memoize((together: readonly SeenCall<readonly CdrVersion[]>[]) => {
    const rows = together.flatMap(openVersions).map(({ resolved }) => resolved)
    return openRateBook(store, rows, settings)
  })
  const decided = await changeCalls(mediation, calls, async (call, together) =>
    decideCdrs(await bookOf(together), call),
  )
  const decisions = [...decided.values()].flatMap(({ outcomes }) => [...outcomes])
  const stored = new Map(decisions.map(([{ sourced }, outcome]) => [sourced, outcome]))
  const others = versions.filter(({ sourced }) => stored.get(sourced) === OTHER_CALL)
  const ofSharedChannels = others.flatMap((version) => asCallOfItsOwn(version) ?? [])
  if (ofSharedChannels.length === 0) return stored
  return new Map([...stored, ...(await storeVersions(mediation, ofSharedChannels))])
}

/** The later calls of a channel are told apart by start and numbers. `undefined` for a version that is told apart already. */
function asCallOfItsOwn(version: CdrVersion): CdrVersion | undefined {
  const { calldate, src, dst, source_part } = version.row
  const own = storablePart(`${calldate} ${src} ${dst}`)
  if (version.sourced.idNames !== 'channel' || source_part === own) return undefined
  return withColumns(version, { source_part: own })
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
