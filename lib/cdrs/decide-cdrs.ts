import { ID_USED } from '#lib/base/row-refused.ts'
import type { Call, CallRow } from '#lib/calls/call.ts'
import type { CallChange } from '#lib/calls/call-storage.ts'
import {
  type CallVersion,
  isSameCall,
  type Latest,
  latestRatable,
  leavesArchivedDay,
  ratedChange,
} from '#lib/calls/rating/call-decision.ts'
import { freeReasonIn } from '#lib/calls/rating/call-rating.ts'
import type { Decision, SeenCall } from '#lib/calls/rating/change-calls.ts'
import { asOfCallStart, asOfCallStartOrNow, type RateBook } from '#lib/calls/rating/rate-book.ts'
import type { Cdr, Problem } from './formats/cdr.ts'
import type { MediationOutcome } from './mediation.ts'

/** A CDR and the name of its switch. */
export interface SourcedCdr {
  readonly source: string
  readonly cdr: Cdr
  /**
   * What its unique id stands for: one call, until the switch begins its numbering again; a channel, which may make several
   * calls; or a SIP dialog, whose call may be refused first and answered later.
   */
  readonly idNames: 'call' | 'channel' | 'dialog'
  /** It was suspended, and is mediated again: its price is that of its start. */
  readonly isRetried?: boolean
  /** Its switch may write the same call under an identity of another kind, by another configuration. */
  readonly hasIdentityKind?: boolean
  /** When it came first, in the order of suspense; absent for the CDR that dialog events make. */
  readonly arrival?: string | undefined
}

/** A CDR as one of the versions of a call. */
export interface CdrVersion {
  readonly sourced: SourcedCdr
  /** The columns that the CDR gives: customer and provider are not resolved. */
  readonly row: CallRow
  /** The row with customer and provider, or the reason why the call cannot be stored. */
  readonly resolved: CallRow | Problem
  /** The digest of the content. It tells a duplicate from a correction. */
  readonly content: string
  /** It has the identity of a linked call, whose start and calling number may be others. */
  readonly isOfLinkedCall?: boolean
}

/** A version before its customer and provider are looked up. */
export type UnresolvedVersion = Omit<CdrVersion, 'resolved'>

/** A version that only rating decides. */
export interface OpenVersion extends CdrVersion {
  readonly resolved: CallRow
}

/** The decision about a call, and the outcome of each of its CDRs. */
export interface CdrDecision extends Decision {
  readonly outcomes: ReadonlyMap<CdrVersion, MediationOutcome>
}

/** The CDRs of one identity, oldest first, and the stored call. */
type CdrCall = SeenCall<readonly CdrVersion[]>

/**
 * Decides the CDRs of one identity from the stored call and the rates. A CDR is a duplicate, a version of a call, or it is
 * refused. The last version that can be rated is stored. Of several calls, the first one that can be rated gets the identity.
 */
export async function decideCdrs(book: RateBook, call: CdrCall): Promise<CdrDecision> {
  const { came } = call
  const outcomes = new Map<CdrVersion, MediationOutcome>(
    came.map((version) => [version, knownOutcome(call.before, version) ?? 'duplicate']),
  )
  const before = withEarlierDigests(call)
  let change: CallChange | undefined
  for (const versions of Map.groupBy(openVersions(call), nameOfCall).values()) {
    const decided = change ? allRefused(versions) : await decideVersions(book, versions, before)
    change ??= decided.change
    for (const [version, outcome] of decided.outcomes) outcomes.set(version, outcome)
  }
  if (before && before !== call.before)
    change ??= { before, after: { ...before, version: before.version + 1 } }
  return { change, outcomes }
}

/** The identity belongs to a call of the same CDRs. */
const allRefused = (versions: readonly OpenVersion[]): CdrDecision => ({
  change: undefined,
  outcomes: new Map(versions.map((version) => [version, OTHER_CALL])),
})

/** The unanswered versions behind the first answered one stand only if none of the others can be stored. */
async function decideVersions(
  book: RateBook,
  versions: readonly OpenVersion[],
  before: Call | undefined,
): Promise<CdrDecision> {
  const answered = versions.findIndex(({ row }) => isAnswered(row))
  const isLate = ({ row }: OpenVersion, index: number) => index > answered && !isAnswered(row)
  const late = versions.filter(isLate)
  const others = versions.filter((version, index) => !isLate(version, index))
  const changeTo = (last: OpenVersion, standing: readonly OpenVersion[]): Promise<CallChange | Problem> => {
    const version = versionOf(last, digestsOf(before, standing))
    if (before) return correction(book, version, before)
    return ratedChange(last.sourced.isRetried ? asOfCallStartOrNow(book) : book, version, before)
  }
  const latest = await latestRatable(others, changeTo)
  if (latest.standing.length > 0)
    return decisionOf(latest, before, new Map(late.map((version) => [version, lateRefusal(version)])))
  return decisionOf(await latestRatable(late, changeTo), before, latest.refused)
}

const decisionOf = (
  { change, standing, refused }: Latest<OpenVersion, Problem>,
  before: Call | undefined,
  others: ReadonlyMap<CdrVersion, MediationOutcome>,
): CdrDecision => ({
  change,
  outcomes: new Map<CdrVersion, MediationOutcome>([
    ...others,
    ...refused,
    ...standing.map((version, index) => [version, before || index > 0 ? 'corrected' : 'stored'] as const),
  ]),
})

/** The stored call, which remembers the versions that came before it and are retried only now. */
function withEarlierDigests({ came, before }: CdrCall): Call | undefined {
  const earlier = came.filter(
    (version) => before && isEarlier(before, version) && !hasContent(before, version),
  )
  if (!before || earlier.length === 0) return before
  const contents = [...new Set(earlier.map(({ content }) => content)), ...digestsIn(before)]
  return { ...before, cdr_digests: contents.slice(-MAX_CDR_DIGESTS).join(' ') }
}

export const isAnswered = ({ disposition, billsec }: Pick<CallRow, 'disposition' | 'billsec'>): boolean =>
  disposition === 'ANSWERED' || billsec > 0

/**
 * Asterisk writes a CDR for each dial attempt of a channel (its CDR Specification): beside the answered one, the others tell
 * nothing about the call. Any other switch contradicts itself, and the operator decides.
 */
const lateRefusal = ({ sourced: { idNames } }: CdrVersion): MediationOutcome =>
  idNames === 'channel' ? 'skipped' : ALREADY_ANSWERED

const ALREADY_ANSWERED: Problem = {
  reason: 'already_answered',
  detail: 'this CDR says that the call was not answered, and an earlier one that it was',
}

/** The versions that neither the stored call nor an equal version decides. */
export function openVersions({ came, before }: CdrCall): OpenVersion[] {
  const open = came.filter((version): version is OpenVersion => knownOutcome(before, version) === undefined)
  return [...Map.groupBy(open, ({ content }) => content).values()].flatMap(([first]) => first ?? [])
}

export const isResolved = (version: CdrVersion): version is OpenVersion => !('reason' in version.resolved)

/** The answered versions whose customer and provider are known. */
export const answeredAmong = (versions: readonly CdrVersion[]): OpenVersion[] =>
  versions.filter(isResolved).filter(({ row }) => isAnswered(row))

/** The version with other columns, which do not change its customer and provider. */
export const withColumns = <V extends CdrVersion>(version: V, columns: Partial<CallRow>): V => ({
  ...version,
  row: { ...version.row, ...columns },
  resolved: isResolved(version) ? { ...version.resolved, ...columns } : version.resolved,
})

/** The outcome that needs no rates. The stored call decides first, so a duplicate stays one if its account is gone. */
const knownOutcome = (before: Call | undefined, version: CdrVersion): MediationOutcome | undefined =>
  (before && outcomeBeside(before, version)) ?? ('reason' in version.resolved ? version.resolved : undefined)

/** The outcome that the stored call decides. */
function outcomeBeside(before: Call, version: CdrVersion): MediationOutcome | undefined {
  const { sourced, row, isOfLinkedCall } = version
  if (hasContent(before, version)) return 'duplicate'
  if (sourced.idNames !== 'dialog' && !isOfLinkedCall && !isSameCall(before, row)) return OTHER_CALL
  if (isAnswered(before) && !isAnswered(row)) return lateRefusal(version)
  return isEarlier(before, version) ? 'duplicate' : undefined
}

/**
 * A retried version came before the stored one, which therefore stays. A CDR that answers an unanswered call replaces it, whenever
 * it came. Calls of earlier versions of Tollgate, and those of datasets, do not tell when they came.
 */
function isEarlier(before: Call, { row, sourced: { isRetried, arrival } }: CdrVersion): boolean {
  if (!isRetried || arrival === undefined || !ARRIVAL.test(before.digest)) return false
  const isOfSameCall = isSameCall(before, row) && isAnswered(before) === isAnswered(row)
  return isOfSameCall && ascendingArrivals(arrivalText(arrival), before.digest) < 0
}

/** The digest of a call that a CDR made: when the CDR came. It is as short as the digest of a content. */
const ARRIVAL = /^\d{12}#\d{3}(?:\.\d+)?$/

const arrivalText = (arrival: string): string => arrival.replace(/\.0+/, '.')

const { compare: ascendingArrivals } = new Intl.Collator('en', { numeric: true })

/** A call that a dataset brought has no digests and is compared by its columns. */
function hasContent(before: Call, { content, row }: CdrVersion): boolean {
  if (before.cdr_digests !== undefined) return digestsIn(before).includes(content)
  return COMPARED_COLUMNS.every((column) => before[column] === row[column])
}

const COMPARED_COLUMNS = [
  'calldate',
  'src',
  'dst',
  'duration',
  'billsec',
  'disposition',
  'hangupcause',
] as const

/** The identity belongs to another call. */
export const OTHER_CALL: Problem = {
  reason: 'id_used',
  detail: `${ID_USED}: the stored one has another start or other numbers`,
}

/** The versions of one call share its start and its numbers. */
const nameOfCall = ({ row: { calldate, src, dst } }: CdrVersion): string =>
  JSON.stringify([calldate, src, dst])

function versionOf(
  { sourced: { arrival }, content, resolved }: OpenVersion,
  cdr_digests: string,
): CallVersion {
  const digest = arrival === undefined ? content : arrivalText(arrival)
  return { row: { ...resolved, cdr_digests }, digest }
}

/** A correction is rated as of the start of its call, and is refused for a call whose price others know already. */
async function correction(book: RateBook, version: CallVersion, before: Call): Promise<CallChange | Problem> {
  if (cameRated(before)) return CAME_RATED
  const asOf = { ...asOfCallStart(book), internal: internalAs(before) }
  const change = await ratedChange(asOf, version, before)
  if ('reason' in change) return change
  if (leavesArchivedDay(change, book.settings)) return ARCHIVED_DAY
  const isInvoiced = (await book.isInvoiced(before)) || (await book.isInvoiced(change.after))
  return isInvoiced ? invoiced(before) : change
}

/** Only a dialog's call can begin on another day: its first INVITE was refused. */
const ARCHIVED_DAY: Problem = {
  reason: 'id_used',
  detail: `${ID_USED}: the stored one is archived under another day`,
}

/** The call was stored with the customer's price, so it was not rated here. */
const cameRated = (call: Call): boolean =>
  freeReasonIn(call) === undefined && !call.rated.split(' ').includes('user')

const CAME_RATED: Problem = { reason: 'came_priced', detail: 'the stored call came with its prices' }

/** A correction is an internal call if the stored call was one, even if the extensions have changed since. */
const internalAs = ({ rated, dst }: Call): ReadonlySet<string> => new Set(rated === 'internal' ? [dst] : [])

const invoiced = ({ day }: Call): Problem => ({
  reason: 'invoiced',
  detail: `its day ${day} is on an invoice of a payer`,
})

/** A stored call remembers this many versions. An older version that comes again counts as a correction. */
const MAX_CDR_DIGESTS = 8

const digestsOf = (before: Call | undefined, versions: readonly CdrVersion[]): string =>
  [...(before ? digestsIn(before) : []), ...versions.map(({ content }) => content)]
    .slice(-MAX_CDR_DIGESTS)
    .join(' ')

const digestsIn = ({ cdr_digests }: Call): readonly string[] => cdr_digests?.split(' ') ?? []
